// plumb-check: proves the answer of a certificate again, without any code of Plumb (docs/certificates.md).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>

#include "check.h"
#include "command_line.h"
#include "error.h"
#include "file.h"
#include "vnnlib.h"

namespace checker {
namespace {

struct Header {
  bool violated = false;
};

// The records before the first that proves something.
Header read_header(Reader& reader, const Network& network) {
  const Record first = reader.next(), second = reader.next();
  const auto* answer = std::get_if<Answer>(&first);
  const auto* hash = std::get_if<NetworkHash>(&second);
  if (answer == nullptr || hash == nullptr) throw BadFile(reader.place() + ": the certificate has no header");
  if (answer->arithmetic != "real")
    throw Rejected("it is about the arithmetic '" + answer->arithmetic + "', which this program does not know");
  if (hash->sha256 != network.sha256) throw Rejected("it is about another network, with the SHA-256 " + hash->sha256);
  return {answer->violated};
}

// A witness satisfies the words of the user, not only the regions that contain them.
void check_violation(Reader& reader, const Arguments& arguments, const Network& network) {
  const Record record = reader.next();
  const auto* witness = std::get_if<Witness>(&record);
  if (witness == nullptr) throw Rejected(reader.place() + ": a witness is missing");
  if (arguments.property.empty()) {
    check_witness(network, question_of(arguments, network), *witness);
  } else {
    if (std::ssize(witness->input) != network.input_size) throw Rejected("the witness is no input of the network");
    const Formula formula = parse_property(read_file(arguments.property), arguments.property, network);
    std::vector<mpq_class> inputs(witness->input.begin(), witness->input.end());
    std::vector<Interval> outputs;
    for (const Exact& y : outputs_at(network, witness->input))
      outputs.push_back(Interval::between(round_down(y), round_up(y)));
    if (!satisfies(formula, inputs, outputs)) throw Rejected("the point does not satisfy the property over the reals");
  }
  if (!std::holds_alternative<End>(reader.next())) throw Rejected(reader.place() + ": more than a witness");
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
  const Header header = read_header(reader, network);
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  if (header.violated) {
    check_violation(reader, arguments, network);
    std::printf("violated: %s; the witness was evaluated exactly, %.3f s\n", about.c_str(), seconds());
    return 0;
  }
  Check proof(network, question, arguments.exact ? Arithmetic::kExact : Arithmetic::kIntervals);
  proof.run(reader);
  const Counts& counts = proof.counts();
  std::printf("proven: %s; real arithmetic, checked %s, %lld pieces, %lld subproblems, %.3f s\n", about.c_str(),
              arguments.exact ? "exactly" : "with intervals", static_cast<long long>(counts.pieces),
              static_cast<long long>(counts.closed), seconds());
  return 0;
}

int run(const std::vector<std::string>& words) {
  const Arguments arguments = parse_arguments(words);
  switch (arguments.task) {
    case Arguments::Task::kShowHelp:
      std::fputs(kHelp, stdout);
      return 0;
    case Arguments::Task::kVersion:
      std::puts("plumb-check 0.1.0");
      return 0;
    case Arguments::Task::kPrint: {
      Reader reader(arguments.proof);
      print(reader, std::cout);
      return 0;
    }
    case Arguments::Task::kCheck:
      return check(arguments);
    case Arguments::Task::kRun:
      throw BadUsage("--run is not available in this build");
  }
  return 64;
}

}  // namespace
}  // namespace checker

int main(int count, char** words) {
  checker::round_upward();
  // One line, whatever texts of a hostile file it quotes.
  const auto say = [](const char* what, const std::exception& error) {
    std::string message = error.what();
    std::ranges::replace_if(
        message, [](char c) { return (c >= 0 && c < ' ') || c == 127; }, '?');
    std::fprintf(stderr, "plumb-check: %s%s\n", what, message.c_str());
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
