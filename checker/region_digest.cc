#include "region_digest.h"

#include <bit>
#include <cstdint>

#include "file.h"

namespace checker {
namespace {

struct Writer {
  std::string bytes = {};

  void add(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(number >> shift & 0xff);
  }
  void add(double number) { add(number == 0 ? std::uint64_t{0} : std::bit_cast<std::uint64_t>(number)); }
  void add(const mpq_class& number) {
    const std::string text = number.get_str();
    add(std::uint64_t{text.size()});
    bytes += text;
  }
  void add(const InputInequality& inequality) {
    add(inequality.coefficients);
    add(inequality.bound);
  }
  template <class Entry>
  void add(const std::vector<Entry>& list) {
    add(std::uint64_t{list.size()});
    for (const Entry& entry : list) add(entry);
  }

  void operator()(const Box& box) {
    bytes += 'b';
    add(box.low);
    add(box.high);
  }
  void operator()(const Ball& ball) {
    bytes += 'o';
    bytes += static_cast<char>(ball.norm);
    add(ball.centre);
    add(ball.radius);
    add(ball.domain.low);
    add(ball.domain.high);
    add(ball.radii);
  }
  void operator()(const AffineImage& image) {
    bytes += 'i';
    add(image.offset);
    add(image.generator);
    add(image.parameters.low);
    add(image.parameters.high);
    add(image.inequalities);
  }
  void operator()(const Polytope& polytope) {
    bytes += 'p';
    add(polytope.box.low);
    add(polytope.box.high);
    add(polytope.inequalities);
  }
};

}  // namespace

std::string region_digest(const Region& region) {
  Writer writer;
  std::visit(writer, region);
  return sha256(writer.bytes);
}

}  // namespace checker
