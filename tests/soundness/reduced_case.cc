#include "soundness/reduced_case.h"

#include <gtest/gtest.h>

#include "base/numbers.h"
#include "bounds/bounds.h"

namespace plumb::testing {
namespace {

property::Box small_box(Random& random, std::int64_t size) {
  property::Box box;
  std::uniform_real_distribution<double> place(-1, 1);
  const double width = uniform(random, 0, 1) == 0 ? 0.05 : 0.5;
  for (std::int64_t i = 0; i < size; ++i) {
    box.lower.push_back(place(random));
    box.upper.push_back(uniform(random, 0, 9) == 0 ? box.lower.back() : box.lower.back() + width);
  }
  return box;
}

property::AffineImage small_image(Random& random, std::int64_t size) {
  property::AffineImage image;
  image.parameters = small_box(random, uniform(random, 1, 3));
  image.offset = random_weights(random, size);
  image.generator = random_weights(random, size * static_cast<std::int64_t>(image.parameters.size()));
  for (double& g : image.generator) g /= 4;
  if (uniform(random, 0, 1) == 0) {
    // Through the middle, so that about half of the parameters are left.
    property::LinearInequality cut{random_weights(random, static_cast<std::int64_t>(image.parameters.size())), 0.01};
    for (std::size_t j = 0; j < cut.coefficients.size(); ++j) {
      cut.bound += cut.coefficients[j] * (image.parameters.lower[j] / 2 + image.parameters.upper[j] / 2);
    }
    image.inequalities.push_back(std::move(cut));
  }
  return image;
}

property::SimpleRegion small_region(Random& random, std::int64_t size) {
  const property::Box box = small_box(random, size);
  std::vector<double> middle;
  for (std::size_t i = 0; i < box.size(); ++i) middle.push_back(box.lower[i] / 2 + box.upper[i] / 2);
  switch (uniform(random, 0, 4)) {
    case 0:
      return small_image(random, size);
    case 1:
      return property::Ball{property::Norm::kL1, middle, Rational(1, 4), box};
    case 2:
      return property::Ball{property::Norm::kL2, middle, Rational(1, 8), box};
    case 3: {
      property::LinearInequality inequality{random_weights(random, size), 0.01};
      for (std::size_t i = 0; i < middle.size(); ++i) inequality.bound += inequality.coefficients[i] * middle[i];
      return property::Polytope{box, {inequality}};
    }
    default:
      return box;
  }
}

std::vector<mpq_class> coordinates(const reduction::InputSpace& space, const ExactPoint& point) {
  std::vector<mpq_class> u;
  for (std::int64_t i = 0; i < space.size(); ++i) {
    u.push_back((point.scaled[index(space.scaled_input(i))] - mpq_class(space.centre(i))) / mpq_class(space.radius(i)));
  }
  return u;
}

}  // namespace

std::vector<double> random_corner(Random& random, const property::Box& box) {
  std::vector<double> corner(box.size());
  for (std::size_t i = 0; i < box.size(); ++i) corner[i] = uniform(random, 0, 1) == 0 ? box.lower[i] : box.upper[i];
  return corner;
}

ExactPoint exact_point(Random& random, const property::SimpleRegion& region) {
  if (const auto* image = std::get_if<property::AffineImage>(&region)) {
    std::vector<double> parameters = random_corner(random, image->parameters);
    while (!contains_parameters(*image, parameters)) parameters = random_point(parameter_region(*image), random);
    const auto z = exact_point(parameters);
    std::vector<mpq_class> x;
    for (std::size_t i = 0; i < image->offset.size(); ++i) {
      x.emplace_back(image->offset[i]);
      for (std::size_t j = 0; j < z.size(); ++j) x.back() += mpq_class(image->generator[i * z.size() + j]) * z[j];
    }
    return {x, z};
  }
  std::vector<double> point;
  if (const auto* box = std::get_if<property::Box>(&region)) {
    point = random_corner(random, *box);
  } else {
    do point = random_point(region, random);
    while (!contains(property::Region(region), point));
  }
  return {exact_point(point), exact_point(point)};
}

Truth truth_at(const network::Network& network, const reduction::ReducedNetwork& reduced, const ExactPoint& point) {
  const auto nodes = exact_values(network, point.input);
  const auto u = coordinates(reduced.space(), point);
  Truth truth;
  for (std::int64_t row = 0; row < reduced.rows(); ++row) {
    mpq_class sum(reduced.constant(row)), slack = 0;
    for (std::size_t i = 0; i < reduced.on_inputs().columns(row).size(); ++i) {
      sum += mpq_class(reduced.on_inputs().values(row)[i]) * u[index(reduced.on_inputs().columns(row)[i])];
    }
    for (std::size_t k = 0; k < reduced.on_units().columns(row).size(); ++k) {
      const auto unit = index(reduced.on_units().columns(row)[k]);
      EXPECT_LT(unit, truth.value.size()) << "a row uses a later unit";
      sum += mpq_class(reduced.on_units().values(row)[k]) * truth.value[unit];
      slack += abs(mpq_class(reduced.on_units().values(row)[k])) * truth.unit_slack[unit];
    }
    truth.row.push_back(sum);
    truth.slack.push_back(slack);
    if (row >= reduced.unit_count()) continue;
    const auto& unit = reduced.units()[index(row)];
    const bool relu = std::holds_alternative<network::Relu>(network.node(unit.place.node).op);
    truth.value.push_back(relu ? nodes[unit.place.node][index(unit.place.element)].low
                               : (sum > 0 ? sum : mpq_class(0)));
    truth.unit_slack.push_back(relu ? mpq_class(0) : mpq_class(slack + mpq_class(reduced.error(row))));
  }
  return truth;
}

std::unique_ptr<ReducedCase> random_case(Random& random) {
  auto result = std::make_unique<ReducedCase>(ReducedCase{random_network(random, 12), {}, {}, {}, {}, {}});
  result->region = small_region(random, result->network.input_size());
  result->functionals.resize(2 * index(result->network.output_size()));
  for (double& c : result->functionals) c = static_cast<double>(uniform(random, -1, 1));
  result->bounded = std::make_shared<const bounds::BoundedNetwork>(shared(result->network));
  result->bounds = std::make_unique<bounds::RegionBounds>(result->bounded, property::Region(result->region));
  compute_bounds(*result->bounds, {});
  auto reduced = reduction::ReducedNetwork::build(*result->bounds,
                                                  output_functionals(*result->bounds, result->functionals), kManyBytes);
  result->reduced = std::make_unique<reduction::ReducedNetwork>(std::move(*reduced));
  return result;
}

mpq_class exact_functional(const ReducedCase& c, std::size_t f, const std::vector<mpq_class>& input) {
  const auto outputs = exact_outputs(c.network, input);
  mpq_class sum = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    sum += mpq_class(c.functionals[f * outputs.size() + i]) * outputs[i].low;
  }
  return sum;
}

}  // namespace plumb::testing
