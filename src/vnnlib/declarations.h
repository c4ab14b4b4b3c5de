// declarations.h: the tensors that a property declares, and the variables that their elements are.
//
// In:  declarations, as the parser reads them. Out: the variable that a name and its indices stand for.
// Errors: DataError with line and column if a name is declared twice or not at all, or if an index is out of range.
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
  // The tensors X and Y that the elements make up, each as far as its highest element. Throws if there is no input, or
  // if an input below the highest one is missing; outputs may be missing.
  DeclaredNetwork network() const;

 private:
  Variable read(const Token& element) const;
  void check_inputs() const;
  const std::vector<bool>& declared(bool output) const { return output ? outputs_ : inputs_; }

  const std::string& name_;
  std::vector<bool> inputs_, outputs_;
};

// Version 2: whole tensors with a shape, whose elements are named by their indices.
class DeclaredTensors {
 public:
  explicit DeclaredTensors(const std::string& name) : name_(name) {}

  // Numbers the elements of a network's tensors, after those of the networks declared before it.
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

// Reads a natural number. Throws if the token is not one, or is above kMaxElements; `what` says in errors what was
// expected.
std::int64_t natural(const Token& token, const std::string& name, const char* what);

}  // namespace plumb::vnnlib
