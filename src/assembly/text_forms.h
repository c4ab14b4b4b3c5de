// text_forms.h: options as users write them, wherever they write them: on a command line, in a script.
//
// Perturbations have a file of their own (perturbation_spec.h). All functions throw ArgumentError, which says what the
// text should look like, if it cannot be understood. Lists may also be in a file, one entry per line, where '#' begins
// a comment: a text that does not begin like a number names one. FileError or DataError is thrown if it cannot be used.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assembly/per_input.h"
#include "bounds/bound_store.h"
#include "property/perturbation.h"
#include "search/techniques.h"

namespace plumb::assembly {

// Parses "linf", "l1" or "l2".
property::Norm parse_norm(const std::string& text);

// Parses "LO,HI", or several of them joined by ';'. Returns nullopt for "none".
std::optional<std::vector<ValueRange>> parse_domain(const std::string& text);
// The domain as parse_domain() reads it, with every number in lowest terms.
std::string domain_text(const std::optional<std::vector<ValueRange>>& domain);

// Parses numbers joined by ','. Errors name the argument `name`.
std::vector<Rational> parse_numbers(const std::string& text, const std::string& name, Rational::Accept accept);
// The numbers as parse_numbers() reads them, in lowest terms.
std::string numbers_text(const std::vector<Rational>& numbers);

// Parses an increasing list of methods, such as "interval,linear,lp".
std::vector<bounds::BoundMethod> parse_bound_methods(const std::string& list);

// Parses a list of techniques, such as "narrowing,unit-trees".
std::vector<search::Technique> parse_techniques(const std::string& list);
// All techniques as such a list.
std::string technique_list();

}  // namespace plumb::assembly
