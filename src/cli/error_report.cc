#include "cli/error_report.h"

#include <map>

namespace plumb::cli {
namespace {

// Returns the flag that sets the argument. `argument` may name more after the first word: "network g". Other names stay
// as they are: files, and flags that a store of an earlier version mentions.
std::string flag_of(const std::string& argument) {
  static const std::map<std::string, std::string> flags{{"audit", "--audit"},
                                                        {"big_m", "--symmetric-bounds"},
                                                        {"conjunctions", "--labels"},
                                                        {"data", "--data"},
                                                        {"deviation", "--std"},
                                                        {"domain", "--domain"},
                                                        {"engine", "--engine"},
                                                        {"eps-scale", "--eps-scale"},
                                                        {"epsilon", "--eps"},
                                                        {"layout", "--layout"},
                                                        {"mean", "--mean"},
                                                        {"memory", "--memory"},
                                                        {"network", "--network"},
                                                        {"network_form", "--encoding"},
                                                        {"norm", "--norm"},
                                                        {"objective", "--objective"},
                                                        {"output", "--output"},
                                                        {"perturbation", "--perturbation"},
                                                        {"progressive", "--no-progressive"},
                                                        {"restricted_domain", "--no-restricted-domain"},
                                                        {"scale", "--scale"},
                                                        {"solver", "--solver"},
                                                        {"store", "--out"},
                                                        {"target", "--target"},
                                                        {"tightening", "--tighten"},
                                                        {"written_model", "--write-model"}};
  const std::size_t space = argument.find(' ');
  const auto flag = flags.find(argument.substr(0, space));
  if (flag == flags.end()) return argument;
  return space == std::string::npos ? flag->second : flag->second + argument.substr(space);
}

}  // namespace

std::string error_text(const Error& error) { return error.report(flag_of); }

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kArgument:
      return 64;
    case ErrorKind::kData:
      return 65;
    case ErrorKind::kFile:
      return 66;
    case ErrorKind::kUnavailable:
      return 69;
    case ErrorKind::kInternal:
      break;
  }
  return 70;
}

}  // namespace plumb::cli
