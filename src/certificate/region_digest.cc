#include "certificate/region_digest.h"

#include <algorithm>

#include "base/sha256.h"

namespace plumb::certificate {
namespace {

std::string digits_of(Rational::Integer number) {
  std::string digits;
  for (; number > 0 || digits.empty(); number /= 10) digits += static_cast<char>('0' + static_cast<int>(number % 10));
  std::ranges::reverse(digits);
  return digits;
}

std::string canonical(const Rational& number) {
  std::string text = (number.is_negative() ? "-" : "") + digits_of(number.numerator());
  if (number.denominator() != 1) text += "/" + digits_of(number.denominator());
  return text;
}

class Digest {
 public:
  std::string digits() { return hash_.digits(); }

  void operator()(const property::Box& box) {
    letter('b');
    add(box);
  }
  void operator()(const property::Ball& ball) {
    letter('o');
    hash_.add(norm_code(ball.norm));
    add(ball.centre);
    add(ball.radius);
    add(ball.domain);
    count(ball.radii.size());
    for (const Rational& radius : ball.radii) add(radius);
  }
  void operator()(const property::AffineImage& image) {
    letter('i');
    add(image.offset);
    add(image.generator);
    add(image.parameters);
    add(image.inequalities);
  }
  void operator()(const property::Polytope& polytope) {
    letter('p');
    add(polytope.box);
    add(polytope.inequalities);
  }

 private:
  static std::uint8_t norm_code(property::Norm norm) {
    switch (norm) {
      case property::Norm::kLinf:
        return 0;
      case property::Norm::kL1:
        return 1;
      case property::Norm::kL2:
        return 2;
    }
    return 0;
  }

  void letter(char letter) { hash_.add(static_cast<std::uint8_t>(letter)); }
  void count(std::size_t count) { hash_.add(static_cast<std::int64_t>(count)); }
  void add(double number) { hash_.add(number == 0 ? 0.0 : number); }
  void add(const std::vector<double>& numbers) {
    count(numbers.size());
    for (const double number : numbers) add(number);
  }
  void add(const Rational& number) {
    const std::string text = canonical(number);
    count(text.size());
    hash_.add(std::string_view(text));
  }
  void add(const property::Box& box) {
    add(box.lower);
    add(box.upper);
  }
  void add(const std::vector<property::LinearInequality>& inequalities) {
    count(inequalities.size());
    for (const property::LinearInequality& inequality : inequalities) {
      add(inequality.coefficients);
      add(inequality.bound);
    }
  }

  Sha256 hash_;
};

}  // namespace

std::string region_digest(const property::SimpleRegion& region) {
  Digest digest;
  std::visit(digest, region);
  return digest.digits();
}

}  // namespace plumb::certificate
