#include "verify/sample_witness.h"

namespace plumb::verify {
namespace {

// In x + G z the sample is x itself, so z = 0 represents it without rounding.
std::optional<verdict::Witness> unchanged_image(const property::Query& query,
                                                const std::shared_ptr<const attack::NetworkEvaluators>& evaluators,
                                                std::size_t part, const std::vector<double>& sample) {
  const auto& image = std::get<property::AffineImage>(query.region.parts()[part]);
  const std::vector<double> zeros(image.parameters.size(), 0.0);
  if (image.offset != sample || !contains_parameters(image, zeros)) return std::nullopt;
  auto witness = attack::WitnessCheck(query, evaluators).confirm_parameters(part, zeros);
  return witness && witness->input == sample ? witness : std::nullopt;
}

}  // namespace

bool is_misclassified(const std::shared_ptr<const network::Network>& network,
                      const std::shared_ptr<const attack::NetworkEvaluators>& evaluators,
                      const std::vector<double>& sample, std::int64_t label) {
  const property::Query as_it_is(network, property::Region(property::Box{sample, sample}),
                                 property::misclassified(label, network->output_size()));
  return attack::WitnessCheck(as_it_is, evaluators).confirm(sample).has_value();
}

std::optional<verdict::Witness> sample_as_witness(const property::Query& query,
                                                  const std::shared_ptr<const attack::NetworkEvaluators>& evaluators,
                                                  const std::vector<double>& sample) {
  const property::Query as_it_is(query.network, property::Region(property::Box{sample, sample}), query.unsafe);
  auto witness = attack::WitnessCheck(as_it_is, evaluators).confirm(sample);
  if (!witness) return std::nullopt;
  const auto& parts = query.region.parts();
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (std::holds_alternative<property::AffineImage>(parts[part])) {
      if (auto unchanged = unchanged_image(query, evaluators, part, sample)) return unchanged;
    } else if (contains(property::Region(parts[part]), sample)) {
      witness->part = part;
      return witness;
    }
  }
  return std::nullopt;
}

}  // namespace plumb::verify
