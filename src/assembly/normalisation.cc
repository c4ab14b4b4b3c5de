#include "assembly/normalisation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "assembly/per_input.h"
#include "assembly/text_forms.h"
#include "base/error.h"
#include "base/rounding.h"
#include "network/normalised.h"

namespace plumb::assembly {
namespace {

struct UsualNumbers {
  const char* name;
  const char* mean;
  const char* deviation;
};

// Of the training sets, over pixels from 0 to 1, as training scripts write them.
constexpr std::array kUsual{
    UsualNumbers{"mnist", "0.1307", "0.3081"},
    UsualNumbers{"fashion-mnist", "0.2860", "0.3530"},
    UsualNumbers{"cifar10", "0.4914,0.4822,0.4465", "0.2470,0.2435,0.2616"},
    UsualNumbers{"cifar100", "0.5071,0.4865,0.4409", "0.2673,0.2564,0.2762"},
    UsualNumbers{"imagenet", "0.485,0.456,0.406", "0.229,0.224,0.225"},
};

std::vector<Rational> parse(const std::string& text, const char* argument_name, const char* UsualNumbers::*numbers,
                            Rational::Accept accept) {
  const auto usual = std::ranges::find(kUsual, text, &UsualNumbers::name);
  return parse_numbers(usual == kUsual.end() ? text : (*usual).*numbers, argument_name, accept);
}

// The nearest doubles, and how far they may be from the numbers.
network::Coefficients rounded(const std::vector<Rational>& numbers) {
  std::vector<double> values;
  bool exact = true;
  for (const Rational& number : numbers) {
    values.push_back(number.nearest());
    exact = exact && number.round_down() == number.round_up();
  }
  return network::Coefficients(std::move(values), {exact ? 0 : 2 * kUnitRoundoff, 0});
}

}  // namespace

bool Normalisation::is_identity() const {
  const auto all_are = [](const std::vector<Rational>& numbers, const Rational& value) {
    return std::ranges::all_of(numbers, [&](const Rational& number) { return number == value; });
  };
  return all_are(mean, Rational(0)) && all_are(deviation, Rational(1));
}

Normalisation parse_normalisation(const std::string& mean, const std::string& deviation) {
  Normalisation result;
  if (!mean.empty()) result.mean = parse(mean, "mean", &UsualNumbers::mean, Rational::Accept::kAny);
  if (!deviation.empty()) {
    result.deviation = parse(deviation, "deviation", &UsualNumbers::deviation, Rational::Accept::kPositive);
  }
  return result;
}

std::shared_ptr<const network::Network> normalised(std::shared_ptr<const network::Network> network,
                                                   const Normalisation& normalisation,
                                                   const std::optional<property::ImageShape>& image) {
  const auto inputs = static_cast<std::size_t>(network->input_size());
  const auto mean = for_each_input(normalisation.mean, inputs, image, "mean");
  const auto deviation = for_each_input(normalisation.deviation, inputs, image, "deviation");
  if (normalisation.is_identity()) return network;
  return shared(with_normalisation(*network, rounded(mean), rounded(deviation)));
}

}  // namespace plumb::assembly
