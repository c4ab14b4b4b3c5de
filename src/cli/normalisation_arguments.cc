#include "cli/normalisation_arguments.h"

#include <utility>

#include "assembly/normalisation.h"
#include "assembly/text_forms.h"
#include "cli/messages.h"
#include "property/query.h"

namespace plumb::cli {
namespace {

assembly::Normalisation parsed(const NormalisationArguments& arguments) {
  return assembly::parse_normalisation(arguments.mean, arguments.deviation);
}

}  // namespace

void note_half_a_normalisation(const NormalisationArguments& arguments, const OutputOptions& output) {
  if (arguments.mean.empty() == arguments.deviation.empty() || output.quiet) return;
  say("plumb: note: {} is not given: the network takes {}\n", arguments.mean.empty() ? "--mean" : "--std",
      arguments.mean.empty() ? "x / std" : "x - mean");
}

std::string NormalisedNetwork::hash_of_file() const {
  return hash_before.empty() ? property::content_hash(*network) : hash_before;
}

NormalisedNetwork normalise(std::shared_ptr<const network::Network> network, const NormalisationArguments& arguments,
                            const std::optional<property::ImageShape>& image) {
  const assembly::Normalisation normalisation = parsed(arguments);
  std::string hash = normalisation.is_identity() ? "" : property::content_hash(*network);
  return {assembly::normalised(std::move(network), normalisation, image), std::move(hash)};
}

NormalisationArguments as_numbers(const NormalisationArguments& arguments) {
  const assembly::Normalisation normalisation = parsed(arguments);
  if (normalisation.is_identity()) return {};
  return {assembly::numbers_text(normalisation.mean), assembly::numbers_text(normalisation.deviation)};
}

}  // namespace plumb::cli
