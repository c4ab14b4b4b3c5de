// error.h: every failure that Plumb reports: what went wrong, where, and what to do about it.
//
// Errors are for input that cannot be used, for missing files and back ends, and for defects of Plumb itself.
// Outcomes of a computation (infeasible, timeout, unknown) are values, never exceptions.
// The library throws. Only the command line prints errors, and it exits with exit_code().
#pragma once

#include <stdexcept>
#include <string>

namespace plumb {

class Error : public std::exception {
 public:
  // `where` names the file, node or option, outermost first. `hint` says what to do; it may be empty.
  Error(int exit_code, std::string where, std::string problem, std::string hint);

  const char* what() const noexcept override { return message_.c_str(); }
  int exit_code() const { return exit_code_; }
  const std::string& where() const { return where_; }
  const std::string& problem() const { return problem_; }
  const std::string& hint() const { return hint_; }

 private:
  int exit_code_;
  std::string where_;
  std::string problem_;
  std::string hint_;
  std::string message_;
};

// The command line or an option's value cannot be understood.
struct UsageError : Error {
  UsageError(std::string where, std::string problem, std::string hint = "")
      : Error(64, std::move(where), std::move(problem), std::move(hint)) {}
};

// A file was read but its content is broken, unsupported, or does not fit the rest of the input.
struct DataError : Error {
  DataError(std::string where, std::string problem, std::string hint = "")
      : Error(65, std::move(where), std::move(problem), std::move(hint)) {}
};

// Values of a network over a region are too large for double arithmetic.
struct OverflowError : DataError {
  using DataError::DataError;
};

// A file cannot be opened, read or written.
struct FileError : Error {
  FileError(std::string where, std::string problem, std::string hint = "")
      : Error(66, std::move(where), std::move(problem), std::move(hint)) {}
};

// A back end that was asked for cannot be used on this machine.
struct UnavailableError : Error {
  UnavailableError(std::string where, std::string problem, std::string hint = "")
      : Error(69, std::move(where), std::move(problem), std::move(hint)) {}
};

// A defect of Plumb: an invariant that does not hold.
struct InternalError : Error {
  InternalError(std::string where, std::string problem)
      : Error(70, std::move(where), std::move(problem), "this is a defect of Plumb: please report it") {}
};

}  // namespace plumb
