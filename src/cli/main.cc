// The program: parses the command line, runs one command, and turns errors into one message and an exit code.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <system_error>

#include "base/error.h"
#include "base/rounding.h"
#include "cli/commands.h"
#include "cli/error_report.h"
#include "cli/generate.h"
#include "cli/messages.h"

namespace {

// Prints "plumb: where: what", then what to do, indented below it. Returns the exit code.
int report(const plumb::Error& error) {
  std::string text = plumb::cli::error_text(error);
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    text.replace(at, 1, "\n       ");
  }
  plumb::cli::say("plumb: {}\n", text);
  return plumb::cli::exit_code(error.kind());
}

// A file that is opened later must not get the number of a standard stream that the caller closed: what is printed
// would end up in that file. Its place is taken by a stream on which reading or writing fails.
void occupy_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    [[maybe_unused]] const int opened = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

int run(plumb::cli::CommandLine& line, int argc, char** argv) {
  try {
    if (argc > 1 && std::strcmp(argv[1], "--generate") == 0) {
      return plumb::cli::generate(line.table(), {argv + 2, argv + argc});
    }
    return line.run(argc, argv);
  } catch (const plumb::Error& error) {
    return report(error);
  } catch (const std::bad_alloc&) {
    return report(plumb::DataError("", "not enough memory for this input", "use a machine with more memory"));
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) == 0) return report(plumb::InternalError("", error.what()));
    errno = error.code().value();  // printing failed; finish() reports it
    return 0;
  } catch (const std::exception& error) {
    return report(plumb::InternalError("", error.what()));
  }
}

// An exit code promises that the result was printed, so the buffer must be written out. If the reader of a pipe is
// gone, SIGPIPE ends the program before this, as it ends other tools.
int finish(int exit_code) {
  const int failure = errno;
  const bool failed_before = std::ferror(stdout) != 0;
  if (std::fflush(stdout) == 0 && !failed_before) return exit_code;
  return report(plumb::FileError("standard output",
                                 fmt::format("cannot be written: {}", std::strerror(failed_before ? failure : errno)),
                                 "the output is incomplete: check the free space and where the output goes"));
}

}  // namespace

int main(int argc, char** argv) {
  occupy_closed_streams();
  plumb::cli::CommandLine line(
      "Proves or refutes properties of piecewise-linear neural networks, exactly.", "plumb " PLUMB_VERSION,
      "Exit codes: 0 done, 1 violated, 2 unknown, 64 usage, 65 bad input data, 66 file missing or not writable,\n"
      "69 back end not available, 70 internal error, 130 interrupted.\n"
      "Example: plumb inspect network.onnx");
  if (!plumb::kErrorTerms) plumb::cli::say("plumb: built without error terms: nothing that it prints is proven\n");
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
  plumb::cli::add_range(line);
  plumb::cli::add_solvers(line);
  errno = 0;
  return finish(run(line, argc, argv));
}
