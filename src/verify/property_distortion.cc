#include "verify/property_distortion.h"

#include <algorithm>

#include "attack/representable.h"
#include "base/error.h"

namespace plumb::verify {
namespace {

// The unsafe set holds at most this many numbers (1 GiB).
constexpr std::size_t kMostNumbers = std::size_t{1} << 27;

void extend(property::Box& hull, const property::Box& box) {
  for (std::size_t i = 0; i < hull.size(); ++i) {
    hull.lower[i] = std::min(hull.lower[i], box.lower[i]);
    hull.upper[i] = std::max(hull.upper[i], box.upper[i]);
  }
}

property::Box hull_of(const vnnlib::VnnlibProperty& property, bool inner) {
  std::optional<property::Box> hull;
  for (const vnnlib::PropertyCase& one : property.cases) {
    const property::Box box = enclosing_box(inner ? one.inner_region : one.region);
    if (!hull) hull = box;
    extend(*hull, box);
  }
  return *hull;
}

// Inequalities between inputs that say that a point of the hull lies in the part.
property::Conjunction membership(const property::SimpleRegion& part, const property::Box& hull,
                                 std::size_t output_count) {
  property::Conjunction result;
  const auto add = [&](std::vector<double> coefficients, double bound) {
    result.push_back({std::vector<double>(output_count, 0.0), std::move(coefficients), bound, false});
  };
  const property::Box box = enclosing_box(part);
  for (std::size_t i = 0; i < box.size(); ++i) {
    std::vector<double> unit(box.size(), 0.0);
    unit[i] = 1;
    if (box.upper[i] < hull.upper[i]) add(unit, box.upper[i]);
    unit[i] = -1;
    if (box.lower[i] > hull.lower[i]) add(unit, -box.lower[i]);
  }
  if (const auto* polytope = std::get_if<property::Polytope>(&part)) {
    for (const property::LinearInequality& row : polytope->inequalities) add(row.coefficients, row.bound);
  }
  return result;
}

// The unsafe sets of all cases, each with the membership in a part of its region.
class JoinedUnsafeSet {
 public:
  JoinedUnsafeSet(const property::Box& hull, const network::Network& network)
      : hull_(hull), output_count_(static_cast<std::size_t>(network.output_size())) {}

  void add(const property::SimpleRegion& part, const property::UnsafeSet& unsafe) {
    const property::Conjunction inside = membership(part, hull_, output_count_);
    for (property::Conjunction conjunction : unsafe.conjunctions) {
      conjunction.insert(conjunction.end(), inside.begin(), inside.end());
      numbers_ += conjunction.size() * (hull_.size() + output_count_);
      if (numbers_ > kMostNumbers) {
        throw DataError("", "the property has too many parts for a distance over all of them", "split the property");
      }
      joined_.conjunctions.push_back(std::move(conjunction));
    }
  }

  property::UnsafeSet take() { return std::move(joined_); }

 private:
  const property::Box& hull_;
  std::size_t output_count_;
  std::size_t numbers_ = 0;
  property::UnsafeSet joined_;
};

// Whether the part has the nearest double for an input that is not fixed at that double everywhere in the hull.
bool has_no_inner_form(const std::vector<std::int64_t>& nearest, const property::Box& inner_hull) {
  return std::ranges::any_of(nearest, [&](std::int64_t input) {
    const auto i = static_cast<std::size_t>(input);
    return inner_hull.lower[i] < inner_hull.upper[i];
  });
}

}  // namespace

std::vector<double> centre_of(const vnnlib::VnnlibProperty& property, const network::Network& network) {
  const property::Box box = hull_of(property, true);
  const std::vector<network::ElementType> types = attack::element_types(network);
  std::vector<double> centre;
  for (std::size_t i = 0; i < box.size(); ++i) {
    const double middle = std::clamp(box.lower[i] / 2 + box.upper[i] / 2, box.lower[i], box.upper[i]);
    const double rounded = attack::nearest_representable(middle, types[i]);
    centre.push_back(rounded >= box.lower[i] && rounded <= box.upper[i] ? rounded : middle);
  }
  return centre;
}

DistortionQuestion distortion_question(const vnnlib::VnnlibProperty& property, const network::Network& network,
                                       const property::Metric& metric, const std::vector<double>& centre) {
  property::Box outer_hull = hull_of(property, false), inner_hull = hull_of(property, true);
  for (property::Box* hull : {&outer_hull, &inner_hull}) extend(*hull, {centre, centre});
  JoinedUnsafeSet outer(outer_hull, network), inner(inner_hull, network);
  std::vector<std::int64_t> nearest_inputs;
  for (const vnnlib::PropertyCase& one : property.cases) {
    for (std::size_t part = 0; part < one.region.parts().size(); ++part) {
      const std::vector<std::int64_t>& nearest = one.nearest_inputs[part];
      outer.add(one.region.parts()[part], one.unsafe);
      if (has_no_inner_form(nearest, inner_hull)) continue;
      inner.add(one.inner_region.parts()[part], one.inner_unsafe);
      nearest_inputs.insert(nearest_inputs.end(), nearest.begin(), nearest.end());
    }
  }
  std::ranges::sort(nearest_inputs);
  nearest_inputs.erase(std::unique(nearest_inputs.begin(), nearest_inputs.end()), nearest_inputs.end());
  DistortionQuestion question{property::GrowingRegion::balls(metric, centre, outer_hull), outer.take()};
  question.inner = {property::GrowingRegion::balls(metric, centre, inner_hull), inner.take(), std::move(nearest_inputs),
                    outer_hull};
  return question;
}

}  // namespace plumb::verify
