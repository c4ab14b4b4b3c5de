#include "certificate/subproblems.h"

#include <utility>

#include "base/error.h"
#include "base/numbers.h"

namespace plumb::certificate {
namespace {

// splitmix64 (Steele, Lea and Flood 2014).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

std::uint64_t hash_of(const events::UnitDecision& decision) {
  return mixed(2 * static_cast<std::uint64_t>(decision.unit) + (decision.active ? 1 : 0));
}

}  // namespace

Subproblems::Subproblems(std::size_t targets) : open_count_(targets, 1), next_(static_cast<std::int64_t>(targets)) {
  for (std::size_t t = 0; t < targets; ++t) open_[key_of(t, {})] = {static_cast<std::int64_t>(t), nullptr};
}

// A sum, so that the order does not matter.
Subproblems::Key Subproblems::key_of(std::size_t target, const Decisions& decisions) {
  Key key = mixed(~static_cast<std::uint64_t>(target));
  for (const events::UnitDecision& decision : decisions) key += hash_of(decision);
  return key;
}

const Subproblems::Open& Subproblems::at(std::size_t target, const Decisions& decisions) const {
  const auto found = open_.find(key_of(target, decisions));
  if (found == open_.end()) throw InternalError("certificate", "a subproblem that is not open");
  return found->second;
}

Subproblems::Open& Subproblems::at(std::size_t target, const Decisions& decisions) {
  return const_cast<Open&>(std::as_const(*this).at(target, decisions));
}

std::int64_t Subproblems::number(std::size_t target, const Decisions& decisions) const {
  return at(target, decisions).number;
}

std::int64_t Subproblems::split(std::size_t target, const Decisions& decisions, std::int32_t unit) {
  const std::shared_ptr<const Units> inherited = at(target, decisions).in_range;
  const Key key = key_of(target, decisions);
  open_.erase(key);
  for (const bool active : {false, true}) open_[key + hash_of({unit, active})] = {next_++, inherited};
  ++open_count_[target];
  return next_ - 2;
}

void Subproblems::close(std::size_t target, const Decisions& decisions) {
  at(target, decisions);
  open_.erase(key_of(target, decisions));
  --open_count_[target];
}

std::span<const Subproblems::InRange> Subproblems::in_range(std::size_t target, const Decisions& decisions) const {
  const Open& open = at(target, decisions);
  return open.in_range ? std::span<const InRange>(*open.in_range) : std::span<const InRange>();
}

void Subproblems::add_in_range(std::size_t target, const Decisions& decisions, const Units& more) {
  if (more.empty()) return;
  Open& open = at(target, decisions);
  auto units = std::make_shared<Units>(open.in_range ? *open.in_range : Units());
  units->insert(units->end(), more.begin(), more.end());
  open.in_range = std::move(units);
}

void Subproblems::forget_ranges(std::size_t target, const Decisions& decisions) {
  at(target, decisions).in_range = nullptr;
}

}  // namespace plumb::certificate
