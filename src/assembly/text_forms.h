// text_forms.h: options as users write them, wherever they write them: on a command line, in a script.
//
// Perturbations have a file of their own (perturbation_spec.h). All functions throw ArgumentError, which says what the
// text should look like, if it cannot be understood.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bounds/bound_store.h"
#include "property/perturbation.h"

namespace plumb::assembly {

// Parses "linf", "l1" or "l2".
property::Norm parse_norm(const std::string& text);

// Parses "LO,HI", rounded outward. Returns nullopt for "none".
std::optional<property::Domain> parse_domain(const std::string& text);

// Parses an increasing list of methods, such as "interval,linear,lp".
std::vector<bounds::BoundMethod> parse_bound_methods(const std::string& list);

}  // namespace plumb::assembly
