// overloaded.h: joins lambdas into one visitor for std::visit.
//
//   std::visit(Overloaded{[](const Box& box) { ... }, [](const Ball& ball) { ... }}, region);
//
// Without a generic lambda among them, a variant that gets another alternative does not compile until it has a rule.
#pragma once

namespace plumb {

template <class... Rules>
struct Overloaded : Rules... {
  using Rules::operator()...;
};
template <class... Rules>
Overloaded(Rules...) -> Overloaded<Rules...>;  // clang 16 does not deduce aggregates

}  // namespace plumb
