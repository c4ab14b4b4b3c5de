// error.h: every failure that Plumb reports: what went wrong, where, and what to do about it.
//
// Errors are for input that cannot be used, for missing files and back ends, and for defects of Plumb itself.
// Outcomes of a computation (infeasible, timeout, unknown) are values, never exceptions.
//
// The library throws. Whoever calls it reports errors, in its own way: the command line prints them and exits with a
// code. Callers may know arguments under names of their own: the command line calls the argument `scale` --scale. So
// names of arguments are marked in the texts of an error, and a caller can replace them.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace plumb {

enum class ErrorKind {
  kArgument,     // an argument's value cannot be understood, or contradicts another one
  kData,         // a file was read but its content is broken, unsupported, or does not fit the rest of the input
  kFile,         // a file cannot be opened, read or written
  kUnavailable,  // a back end that was asked for cannot be used on this machine
  kInternal,     // a defect of Plumb: an invariant that does not hold
};

// Marks the name of an argument in a text that is given to an Error: "use a smaller " + argument("scale").
std::string argument(std::string_view name);

// Returns the name under which an argument is to be shown.
using ShownName = std::function<std::string(const std::string& argument)>;

class Error : public std::exception {
 public:
  // `where` names the file, node or argument, outermost first. `remedy` says what to do; it may be empty.
  Error(ErrorKind kind, std::string where, std::string problem, std::string remedy);

  ErrorKind kind() const { return kind_; }
  // "where: problem".
  const char* what() const noexcept override { return message_.c_str(); }
  // These texts show arguments under the library's names.
  const std::string& where() const { return where_; }
  const std::string& problem() const { return problem_; }
  const std::string& remedy() const { return remedy_; }

  // The message and, on a line of its own, the remedy, with the names that `shown` returns for arguments.
  std::string report(const ShownName& shown) const;

 private:
  ErrorKind kind_;
  std::string marked_message_, marked_remedy_;
  std::string where_, problem_, remedy_, message_;
};

// `where` is the name of an argument, which may be followed by more: "scale", "network g".
struct ArgumentError : Error {
  ArgumentError(std::string_view where, std::string problem, std::string remedy = "")
      : Error(ErrorKind::kArgument, argument(where), std::move(problem), std::move(remedy)) {}
};

struct DataError : Error {
  DataError(std::string where, std::string problem, std::string remedy = "")
      : Error(ErrorKind::kData, std::move(where), std::move(problem), std::move(remedy)) {}
};

// Values of a network over a region are too large for double arithmetic.
struct OverflowError : DataError {
  using DataError::DataError;
};

struct FileError : Error {
  FileError(std::string where, std::string problem, std::string remedy = "")
      : Error(ErrorKind::kFile, std::move(where), std::move(problem), std::move(remedy)) {}
};

struct UnavailableError : Error {
  UnavailableError(std::string where, std::string problem, std::string remedy = "")
      : Error(ErrorKind::kUnavailable, std::move(where), std::move(problem), std::move(remedy)) {}
};

struct InternalError : Error {
  InternalError(std::string where, std::string problem)
      : Error(ErrorKind::kInternal, std::move(where), std::move(problem),
              "this is a defect of Plumb: please report it") {}
};

}  // namespace plumb
