#include "search/piece_witness.h"

#include "attack/gradient_attack.h"

namespace plumb::search {

PieceWitness::PieceWitness(const SearchTask& task, std::size_t part)
    : task_(task),
      part_(part),
      is_image_(std::holds_alternative<property::AffineImage>(task.query.region.parts()[part])),
      check_(task.query, task.evaluators, &task.budget) {}

bool PieceWitness::try_point(const reduction::InputSpace& space, std::span<const double> u) {
  auto found =
      is_image_ ? check_.confirm_parameters(part_, space.parameters(u)) : check_.confirm(space.network_input(u));
  if (!found) return false;
  auto polished = is_image_ ? check_.polish_parameters(part_, found->parameters) : check_.polish(found->input);
  return keep(polished ? std::move(polished) : std::move(found));
}

bool PieceWitness::try_near(const reduction::InputSpace& space, std::span<const double> u) {
  return keep(is_image_ ? check_.polish_parameters(part_, space.parameters(u)) : check_.polish(space.network_input(u)));
}

void PieceWitness::note_over_reals(const reduction::InputSpace& space, std::span<const double> u) {
  if (over_reals_) return;
  over_reals_ = is_image_ ? check_.confirm_parameters_over_reals(part_, space.parameters(u))
                          : check_.confirm_over_reals(space.network_input(u));
  if (over_reals_) task_.events.witness(over_reals_->part, over_reals_->input, over_reals_->parameters);
}

bool PieceWitness::attack_network(std::uint64_t seed, double momentum) {
  // Among few inputs, plain steps find some witnesses sooner. Among many, momentum finds those that they miss.
  const attack::AttackOptions plain{.steps = 40, .restarts = 10, .seed = seed};
  const attack::AttackOptions steady{.steps = 100, .restarts = 6, .seed = seed, .momentum = momentum};
  const auto finds_one = [&](const attack::AttackOptions& options) {
    return keep(gradient_attack(task_.query, task_.evaluators, options, &task_.budget).witness);
  };
  return finds_one(plain) || (momentum > 0 && finds_one(steady));
}

property::Box PieceWitness::limits(const reduction::InputSpace& space) const {
  const property::Box& limits = check_.limits(part_);
  return {space.coordinates(limits.lower), space.coordinates(limits.upper)};
}

verdict::Verdict PieceWitness::violated(std::string reason) {
  return verdict::violated(std::move(reason), std::move(witness_ ? witness_ : over_reals_).value());
}

verdict::Verdict PieceWitness::undecided(std::string reason, double worst_bound) {
  if (over_reals_) return violated("branch and bound");
  return verdict::unknown(std::move(reason), worst_bound);
}

bool PieceWitness::keep(std::optional<verdict::Witness> witness) {
  if (!witness) return false;
  witness_ = std::move(witness);
  task_.events.witness(witness_->part, witness_->input, witness_->parameters);
  return true;
}

}  // namespace plumb::search
