// declarations.h: the tensors that a property names, and which variable an element of them is.
//
// In:  declarations as the parser meets them. Out: the number of the variable that a name and its indices stand for.
// Errors: DataError with line and column: declared twice, not declared, an index out of range.
#pragma once

#include <span>
#include <string>
#include <unordered_map>

#include "vnnlib/formula.h"

namespace plumb::vnnlib {

// Version 1: elements X_0, X_1, ... and Y_0, Y_1, ..., declared one by one in any order.
class DeclaredElements {
 public:
  explicit DeclaredElements(const std::string& name) : name_(name) {}

  void declare(const Token& element);
  Variable find(const Token& element) const;
  // The tensors that the elements make up, as far as the highest of each. Throws if an input is missing below it;
  // outputs may be left out.
  DeclaredNetwork network() const;

 private:
  Variable read(const Token& element) const;
  void check_inputs() const;
  const std::vector<bool>& declared(bool output) const { return output ? outputs_ : inputs_; }

  const std::string& name_;
  std::vector<bool> inputs_, outputs_;
};

// Version 2: whole tensors with a shape, elements by their indices.
class DeclaredTensors {
 public:
  explicit DeclaredTensors(const std::string& name) : name_(name) {}

  // Numbers the tensors of a network, after those of the networks before.
  void declare(DeclaredNetwork& network);
  Variable find(const Token& tensor, std::span<const Token> indices) const;

  std::int64_t inputs() const { return inputs_; }
  std::int64_t outputs() const { return outputs_; }

 private:
  struct Place {
    bool output;
    std::int64_t first;
    tensor::Shape shape;
  };
  void declare(Tensor& tensor, bool output);

  const std::string& name_;
  std::unordered_map<std::string, Place> tensors_;
  std::int64_t inputs_ = 0, outputs_ = 0;
};

// A natural number of the text. Throws if it is none, or above kMaxElements; `what` says what it is.
std::int64_t natural(const Token& token, const std::string& name, const char* what);

}  // namespace plumb::vnnlib
