#include "question.h"

#include <bit>
#include <cstdint>

#include "exact_number.h"
#include "file.h"

namespace checker {
namespace {

struct Writer {
  std::string bytes = {};

  void add(char byte) { bytes += byte; }
  void add(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(number >> shift & 0xff);
  }
  void add(double number) { add(number == 0 ? std::uint64_t{0} : std::bit_cast<std::uint64_t>(number)); }
  void add(const mpq_class& number) { add(number.get_str()); }
  void add(const Box& box) { add_all(box.low, box.high); }
  void add(const InputInequality& inequality) { add_all(inequality.coefficients, inequality.bound); }
  template <class List>
  void add(const List& list) {
    add(std::uint64_t{list.size()});
    for (const auto& entry : list) add(entry);
  }
  template <class... Fields>
  void add_all(const Fields&... fields) {
    (add(fields), ...);
  }

  void operator()(const Box& box) { add_all('b', box); }
  void operator()(const Ball& b) { add_all('o', static_cast<char>(b.norm), b.centre, b.radius, b.domain, b.radii); }
  void operator()(const AffineImage& image) {
    add_all('i', image.offset, image.generator, image.parameters, image.inequalities);
  }
  void operator()(const Polytope& polytope) { add_all('p', polytope.box, polytope.inequalities); }
};

}  // namespace

std::string region_digest(const Region& region) {
  Writer writer;
  std::visit(writer, region);
  return sha256(writer.bytes);
}

double radius_up(const Ball& ball) { return round_up(ball.radius); }

Box box_around(const Ball& ball) {
  Box box = ball.domain;
  for (std::size_t i = 0; i < ball.centre.size(); ++i) {
    const mpq_class centre(ball.centre[i]), &radius = ball.radii.empty() ? ball.radius : ball.radii[i];
    box.low[i] = larger(box.low[i], round_down(mpq_class(centre - radius)));
    box.high[i] = smaller(box.high[i], round_up(mpq_class(centre + radius)));
  }
  return box;
}

}  // namespace checker
