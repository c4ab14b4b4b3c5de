#include "vnnlib/declarations.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"

namespace plumb::vnnlib {

std::int64_t natural(const Token& token, const std::string& name, const char* what) {
  std::int64_t value = -1;
  const char* const end = token.text.data() + token.text.size();
  const auto parsed = std::from_chars(token.text.data(), end, value);
  if (token.kind != TokenKind::kWord || parsed.ec != std::errc() || parsed.ptr != end || value < 0) {
    fail(name, token.at, fmt::format("expected {}, found {}", what, shown(token)));
  }
  if (value > tensor::kMaxElements) {
    fail(name, token.at, fmt::format("{} is too large: at most {} elements", value, tensor::kMaxElements));
  }
  return value;
}

Variable DeclaredElements::read(const Token& element) const {
  const bool input = element.text.starts_with("X_"), output = element.text.starts_with("Y_");
  if (element.kind != TokenKind::kWord || !(input || output)) {
    fail(name_, element.at, fmt::format("expected a variable, found {}", shown(element)),
         "inputs are X_0, X_1, ..., outputs Y_0, Y_1, ...");
  }
  const Token digits{TokenKind::kWord, element.text.substr(2), {element.at.line, element.at.column + 2}};
  return {output, natural(digits, name_, "the number of an input or output")};
}

void DeclaredElements::declare(const Token& element) {
  const Variable variable = read(element);
  std::vector<bool>& declared = variable.output ? outputs_ : inputs_;
  const auto at = static_cast<std::size_t>(variable.index);
  if (declared.size() <= at) declared.resize(at + 1, false);
  if (declared[at]) fail(name_, element.at, fmt::format("{} is declared twice", element.text));
  declared[at] = true;
}

Variable DeclaredElements::find(const Token& element) const {
  const Variable variable = read(element);
  const auto at = static_cast<std::size_t>(variable.index);
  if (at >= declared(variable.output).size() || !declared(variable.output)[at]) {
    fail(name_, element.at, fmt::format("{} is not declared", element.text),
         fmt::format("declare it first: (declare-const {} Real)", element.text));
  }
  return variable;
}

void DeclaredElements::check_inputs() const {
  if (inputs_.empty()) throw DataError(name_, "no input is declared", "for example (declare-const X_0 Real)");
  const auto missing = std::ranges::find(inputs_, false);
  if (missing == inputs_.end()) return;
  throw DataError(name_,
                  fmt::format("X_{} is declared, but X_{} is not", inputs_.size() - 1, missing - inputs_.begin()),
                  "declare all inputs of the network");
}

DeclaredNetwork DeclaredElements::network() const {
  check_inputs();
  const auto tensor = [](const char* letter, const std::vector<bool>& declared) {
    return Tensor{letter, "real", {static_cast<std::int64_t>(declared.size())}, {}, 0};
  };
  DeclaredNetwork network;
  network.inputs.push_back(tensor("X", inputs_));
  if (!outputs_.empty()) network.outputs.push_back(tensor("Y", outputs_));
  return network;
}

void DeclaredTensors::declare(DeclaredNetwork& network) {
  for (Tensor& tensor : network.inputs) declare(tensor, false);
  for (Tensor& tensor : network.outputs) declare(tensor, true);
  for (Tensor& tensor : network.hidden) declare(tensor, true);
}

void DeclaredTensors::declare(Tensor& tensor, bool output) {
  std::int64_t& count = output ? outputs_ : inputs_;
  std::int64_t elements = 1;
  for (const std::int64_t dimension : tensor.shape) {
    if (dimension == 0) fail(name_, tensor.at, fmt::format("{} has a dimension of size 0", tensor.name));
    if (elements > tensor::kMaxElements / dimension) {
      fail(name_, tensor.at, fmt::format("{} has more than {} elements", tensor.name, tensor::kMaxElements));
    }
    elements *= dimension;
  }
  if (count > tensor::kMaxElements - elements) {
    fail(name_, tensor.at, fmt::format("there are more than {} elements", tensor::kMaxElements));
  }
  tensor.first = count;
  if (!tensors_.emplace(tensor.name, Place{output, count, tensor.shape}).second) {
    fail(name_, tensor.at, fmt::format("{} is declared twice", tensor.name));
  }
  count += elements;
}

Variable DeclaredTensors::find(const Token& tensor, std::span<const Token> indices) const {
  const auto found = tensors_.find(std::string(tensor.text));
  if (tensor.kind != TokenKind::kWord || found == tensors_.end()) {
    fail(name_, tensor.at, fmt::format("expected a number or a declared variable, found {}", shown(tensor)));
  }
  const Place& place = found->second;
  if (indices.size() != place.shape.size()) {
    fail(name_, tensor.at,
         fmt::format("{} has {} dimensions, {} indices are given", tensor.text, place.shape.size(), indices.size()),
         fmt::format("its shape is {}", tensor::to_string(place.shape)));
  }
  std::int64_t position = 0;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const std::int64_t index = natural(indices[d], name_, "an index");
    if (index >= place.shape[d]) {
      fail(name_, indices[d].at,
           fmt::format("index {} is out of range: {} has the shape {}", index, tensor.text,
                       tensor::to_string(place.shape)),
           "indices are counted from 0");
    }
    position = position * place.shape[d] + index;
  }
  return {place.output, place.first + position};
}

}  // namespace plumb::vnnlib
