// The program: parses the command line, runs one command, turns errors into one message and an exit code.
#include <fmt/format.h>

#include <cstdio>
#include <new>
#include <string>

#include "base/error.h"
#include "base/rounding.h"
#include "cli/commands.h"

namespace {

constexpr const char* kVersion = "plumb " PLUMB_VERSION;

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

int parse_and_run(CLI::App& app, const plumb::cli::Action& action, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version);
  } catch (const CLI::RequiredError& error) {
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty()) {
      throw plumb::UsageError("", fmt::format("there is no command '{}'", argv[1]), "see plumb --help");
    }
    throw plumb::UsageError("", error.what(), "see plumb --help, or plumb COMMAND --help");
  } catch (const CLI::ParseError& error) {
    throw plumb::UsageError("", error.what(), "see plumb --help, or plumb COMMAND --help");
  }
  return action();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Proves or refutes properties of piecewise-linear neural networks, exactly.", "plumb");
  app.set_version_flag("--version", kVersion);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 violated, 2 unknown, 64 usage, 65 bad input data, 66 file missing, 69 back end not\n"
      "available, 70 internal error, 130 interrupted.\n"
      "Example: plumb inspect network.onnx");
  if (!plumb::kErrorTerms) fmt::print(stderr, "plumb: built without error terms: nothing that it prints is proven\n");
  plumb::cli::Action action;
  plumb::cli::add_inspect(app, action);
  plumb::cli::add_eval(app, action);
  plumb::cli::add_bounds(app, action);
  plumb::cli::add_attack(app, action);
  plumb::cli::add_verify(app, action);
  plumb::cli::add_accuracy(app, action);
  plumb::cli::add_show(app, action);
  plumb::cli::add_merge(app, action);
  plumb::cli::add_report(app, action);
  plumb::cli::add_distortion(app, action);
  plumb::cli::add_worst(app, action);
  plumb::cli::add_solvers(app, action);
  try {
    return parse_and_run(app, action, argc, argv);
  } catch (const plumb::Error& error) {
    return report(error);
  } catch (const std::bad_alloc&) {
    return report(plumb::DataError("", "not enough memory for this input", "use a machine with more memory"));
  } catch (const std::exception& error) {
    return report(plumb::InternalError("", error.what()));
  }
}
