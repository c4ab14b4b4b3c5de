#include "audit/region_cover.h"

#include <algorithm>

#include "base/exact_sum.h"
#include "base/overloaded.h"

namespace plumb::audit {
namespace {

// a - b >= r, exactly.
bool is_apart(double a, double b, const Rational& r) {
  if (r.is_negative()) return false;
  ExactSum sum;
  sum.add(a);
  sum.subtract(b);
  sum.multiply(r.denominator());
  for (const double piece : split(r.numerator())) sum.subtract(piece);
  return sum.sign() >= 0;
}

bool same(const property::Box& a, const property::Box& b) { return a.lower == b.lower && a.upper == b.upper; }
bool same(const std::vector<property::LinearInequality>& a, const std::vector<property::LinearInequality>& b) {
  return std::ranges::equal(a, b, [](const property::LinearInequality& p, const property::LinearInequality& q) {
    return p.coefficients == q.coefficients && p.bound == q.bound;
  });
}

struct Frame {
  const property::SimpleRegion& other;  // of the same kind

  bool operator()(const property::Box&) const { return true; }
  bool operator()(const property::Ball& p) const {
    const auto& q = std::get<property::Ball>(other);
    return p.norm == q.norm && p.centre == q.centre && p.radius == q.radius && p.radii == q.radii &&
           same(p.domain, q.domain);
  }
  bool operator()(const property::AffineImage& p) const {
    const auto& q = std::get<property::AffineImage>(other);
    return p.offset == q.offset && p.generator == q.generator && same(p.inequalities, q.inequalities);
  }
  bool operator()(const property::Polytope& p) const {
    return same(p.inequalities, std::get<property::Polytope>(other).inequalities);
  }
};

// Whether two regions agree in everything but the boxes that may be halved.
bool same_frame(const property::SimpleRegion& a, const property::SimpleRegion& b) {
  return a.index() == b.index() && std::visit(Frame{b}, a);
}

}  // namespace

const property::Box* halved_box(const property::SimpleRegion& region) {
  return std::visit(Overloaded{[](const property::Box& box) { return &box; },
                               [](const property::Ball&) -> const property::Box* { return nullptr; },
                               [](const property::AffineImage& image) { return &image.parameters; },
                               [](const property::Polytope& polytope) { return &polytope.box; }},
                    region);
}

bool covers(const property::SimpleRegion& piece, const property::SimpleRegion& part) {
  const auto* box = std::get_if<property::Box>(&piece);
  const auto* ball = std::get_if<property::Ball>(&part);
  if (box != nullptr && ball != nullptr) {
    if (ball->norm != property::Norm::kLinf || box->size() != ball->centre.size()) return false;
    for (std::size_t i = 0; i < box->size(); ++i) {
      const double c = ball->centre[i];
      if (box->lower[i] > ball->domain.lower[i] && !(is_apart(c, box->lower[i], ball->radius_of(i)))) return false;
      if (box->upper[i] < ball->domain.upper[i] && !(is_apart(box->upper[i], c, ball->radius_of(i)))) return false;
    }
    return true;
  }
  if (!same_frame(piece, part)) return false;
  const property::Box *a = halved_box(piece), *b = halved_box(part);
  return a == nullptr || same(*a, *b);
}

bool are_halves(const property::SimpleRegion& whole, const property::SimpleRegion& low,
                const property::SimpleRegion& high) {
  if (!same_frame(whole, low) || !same_frame(whole, high) || halved_box(whole) == nullptr) return false;
  const property::Box &all = *halved_box(whole), &below = *halved_box(low), &above = *halved_box(high);
  int cut = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (below.lower[i] != all.lower[i] || above.upper[i] != all.upper[i]) return false;
    if (below.upper[i] == all.upper[i] && above.lower[i] == all.lower[i]) continue;
    if (below.upper[i] < above.lower[i]) return false;
    ++cut;
  }
  return cut <= 1;
}

}  // namespace plumb::audit
