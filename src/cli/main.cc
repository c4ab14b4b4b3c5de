// The program: parses the command line, runs one command, turns errors into one message and an exit code.
#include <fmt/format.h>

#include <cstdio>
#include <new>
#include <string>

#include "base/error.h"
#include "base/rounding.h"
#include "cli/commands.h"

namespace {

// "plumb: where: what", then what to do, indented under it.
int report(const plumb::Error& error) {
  std::string text = error.what();
  if (!error.hint().empty()) text += "\n" + error.hint();
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    text.replace(at, 1, "\n       ");
  }
  fmt::print(stderr, "plumb: {}\n", text);
  return error.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  plumb::cli::CommandLine line(
      "Proves or refutes properties of piecewise-linear neural networks, exactly.", "plumb " PLUMB_VERSION,
      "Exit codes: 0 done, 1 violated, 2 unknown, 64 usage, 65 bad input data, 66 file missing, 69 back end not\n"
      "available, 70 internal error, 130 interrupted.\n"
      "Example: plumb inspect network.onnx");
  if (!plumb::kErrorTerms) fmt::print(stderr, "plumb: built without error terms: nothing that it prints is proven\n");
  plumb::cli::add_inspect(line);
  plumb::cli::add_eval(line);
  plumb::cli::add_bounds(line);
  plumb::cli::add_attack(line);
  plumb::cli::add_verify(line);
  plumb::cli::add_accuracy(line);
  plumb::cli::add_show(line);
  plumb::cli::add_merge(line);
  plumb::cli::add_report(line);
  plumb::cli::add_distortion(line);
  plumb::cli::add_worst(line);
  plumb::cli::add_solvers(line);
  try {
    return line.run(argc, argv);
  } catch (const plumb::Error& error) {
    return report(error);
  } catch (const std::bad_alloc&) {
    return report(plumb::DataError("", "not enough memory for this input", "use a machine with more memory"));
  } catch (const std::exception& error) {
    return report(plumb::InternalError("", error.what()));
  }
}
