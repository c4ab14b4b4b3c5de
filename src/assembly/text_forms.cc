#include "assembly/text_forms.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "milp/tightening/progressive.h"

namespace plumb::assembly {
namespace {

bounds::BoundMethod parse_bound_method(const std::string& name) {
  if (name == "interval") return bounds::BoundMethod::kInterval;
  if (name == "linear") return bounds::BoundMethod::kLinear;
  if (name == "alpha") return bounds::BoundMethod::kAlpha;
  if (name == "lp") return bounds::BoundMethod::kLp;
  if (name == "milp") return bounds::BoundMethod::kMilp;
  throw ArgumentError("tightening", fmt::format("unknown method '{}'", name),
                      "an increasing list out of interval,linear,alpha,lp,milp");
}

}  // namespace

property::Norm parse_norm(const std::string& text) {
  if (text == "linf") return property::Norm::kLinf;
  if (text == "l1") return property::Norm::kL1;
  if (text == "l2") return property::Norm::kL2;
  throw ArgumentError("norm", fmt::format("unknown norm '{}'", text), "give linf, l1 or l2");
}

std::optional<property::Domain> parse_domain(const std::string& text) {
  if (text == "none") return std::nullopt;
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) {
    throw ArgumentError("domain", fmt::format("'{}' is not of the form LO,HI", text),
                        fmt::format("example: {} 0,1", argument("domain")));
  }
  const auto limit = [](const std::string& side) { return Rational::parse(side, "domain", Rational::Accept::kAny); };
  const property::Domain domain{limit(text.substr(0, comma)).round_down(), limit(text.substr(comma + 1)).round_up()};
  if (domain.lower > domain.upper) {
    throw ArgumentError("domain", fmt::format("{} is empty", text), fmt::format("example: {} 0,1", argument("domain")));
  }
  return domain;
}

std::vector<bounds::BoundMethod> parse_bound_methods(const std::string& list) {
  std::vector<bounds::BoundMethod> methods;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    methods.push_back(parse_bound_method(list.substr(at, comma - at)));
    at = comma + 1;
  }
  milp::check_methods(methods);
  return methods;
}

}  // namespace plumb::assembly
