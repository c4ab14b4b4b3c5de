// piece_witness.h: points of one piece that the search believes to be unsafe, and the witness among them.
//
// Points are given in the coordinates of an InputSpace. The first that is confirmed (attack/witness_check.h) is kept
// and told to the task's events.
#pragma once

#include <optional>
#include <span>

#include "reduction/input_space.h"
#include "search/search_task.h"

namespace plumb::search {

class PieceWitness {
 public:
  // Of a piece inside this part of the query's region. Keeps a reference to the task.
  PieceWitness(const SearchTask& task, std::size_t part);

  // Whether the point is a witness. What is kept is moved deeper into the unsafe set where the region allows.
  bool try_point(const reduction::InputSpace& space, std::span<const double> u);
  // Whether there is one near the point: it may have failed by a hair.
  bool try_near(const reduction::InputSpace& space, std::span<const double> u);
  // Keeps the point, if it is unsafe over the reals, for the case that no witness is found that float32 evaluation
  // confirms too.
  void note_over_reals(const reduction::InputSpace& space, std::span<const double> u);
  // Gradient attacks on the whole network, over the query's whole region.
  bool attack_network(std::uint64_t seed);

  // Coordinates between these are not rounded where they lie on them.
  property::Box limits(const reduction::InputSpace& space) const;

  // The witness; without one, a point that was noted.
  std::optional<verdict::Witness> take() { return std::move(witness_ ? witness_ : over_reals_); }
  bool has_noted() const { return over_reals_.has_value(); }

 private:
  bool keep(std::optional<verdict::Witness> witness);

  const SearchTask& task_;
  std::size_t part_;
  bool is_image_;
  attack::WitnessCheck check_;
  std::optional<verdict::Witness> witness_, over_reals_;
};

}  // namespace plumb::search
