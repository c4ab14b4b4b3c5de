// plumb-check: proves the answer of a certificate again, without any code of Plumb (docs/certificates.md).
#include <chrono>
#include <cstdio>
#include <iostream>

#include "command_line.h"
#include "error.h"
#include "file.h"
#include "outcome.h"
#include "run.h"
#include "vnnlib.h"

namespace checker {
namespace {

// A witness satisfies the words of the user, not only the regions that contain them.
void check_point(const Arguments& arguments, const Network& network, const Question& question, const Witness& witness) {
  if (arguments.property.empty()) return check_witness(network, question, witness);
  if (std::ssize(witness.input) != network.input_size) throw Rejected("the witness is no input of the network");
  const Formula formula = parse_property(read_file(arguments.property), arguments.property, network);
  std::vector<mpq_class> inputs(witness.input.begin(), witness.input.end());
  std::vector<Interval> outputs;
  for (const Exact& y : outputs_at(network, witness.input))
    outputs.push_back(Interval::between(round_down(y), round_up(y)));
  if (!satisfies(formula, inputs, outputs)) throw Rejected("the point does not satisfy the property over the reals");
}

int check(const Arguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  Network network = read_network(arguments.network);
  const std::string hash = network.sha256;
  normalise(network, arguments);
  find_places(network);
  Reader reader(arguments.proof);
  const Question question = question_of(arguments, network);
  const std::string about = "network " + hash.substr(0, 16) + ", " + question.statement;
  const Outcome outcome =
      check_certificate(reader, network, question, arguments.exact ? Arithmetic::kExact : Arithmetic::kIntervals,
                        [&](const Witness& witness) { check_point(arguments, network, question, witness); });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (outcome.violated) {
    std::printf("violated: %s; the witness was evaluated exactly, %.3f s\n", about.c_str(), seconds);
    return 0;
  }
  std::printf("proven: %s; real arithmetic, checked %s, %lld pieces, %lld subproblems, %.3f s\n", about.c_str(),
              arguments.exact ? "exactly" : "with intervals", static_cast<long long>(outcome.counts.pieces),
              static_cast<long long>(outcome.counts.closed), seconds);
  return 0;
}

int run(const std::vector<std::string>& words) {
  const Arguments arguments = parse_arguments(words);
  switch (arguments.task) {
    case Arguments::Task::kShowHelp:
      std::fputs(kHelp, stdout);
      return 0;
    case Arguments::Task::kVersion:
      std::printf("plumb-check %s\n", kProgramVersion);
      return 0;
    case Arguments::Task::kPrint: {
      Reader reader(arguments.proof);
      print(reader, std::cout);
      return 0;
    }
    case Arguments::Task::kCheck:
      return check(arguments);
    case Arguments::Task::kRun:
      return check_run(arguments);
  }
  return 64;
}

}  // namespace
}  // namespace checker

int main(int count, char** words) {
  checker::round_upward();
  const auto say = [](const char* what, const std::exception& error) {
    std::fprintf(stderr, "plumb-check: %s%s\n", what, checker::printable(error.what()).c_str());
  };
  try {
    return checker::run(std::vector<std::string>(words + 1, words + count));
  } catch (const checker::BadUsage& error) {
    say("", error);
    return 64;
  } catch (const checker::Rejected& error) {
    say("rejected: ", error);
    return 1;
  } catch (const checker::BadFile& error) {
    say("", error);
    return 65;
  } catch (const std::bad_alloc& error) {
    say("not enough memory: ", error);
    return 71;
  } catch (const std::exception& error) {
    say("", error);
    return 70;
  }
}
