// piece_witness.h: checks points of one piece that the search believes to be unsafe, and keeps the witness.
//
// Points are given in the coordinates of an InputSpace. The first point that is confirmed (attack/witness_check.h) is
// kept and reported to the task's events.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "reduction/input_space.h"
#include "search/search_task.h"
#include "verdict/verdict.h"

namespace plumb::search {

class PieceWitness {
 public:
  // For a piece inside this part of the query's region. Keeps a reference to the task.
  PieceWitness(const SearchTask& task, std::size_t part);

  // Whether the point is a witness. A witness is kept, after it was moved deeper into the unsafe set as far as the
  // region allows.
  bool try_point(const reduction::InputSpace& space, std::span<const double> u);
  // Whether there is a witness near the point. (The point itself may have failed narrowly.)
  bool try_near(const reduction::InputSpace& space, std::span<const double> u);
  // Keeps the point if it is unsafe over the reals, in case no witness is found that float32 evaluation confirms too.
  void note_over_reals(const reduction::InputSpace& space, std::span<const double> u);
  // Attacks the whole network by gradient descents, over the query's whole region: without momentum first, then, unless
  // it is 0, with it.
  bool attack_network(std::uint64_t seed, double momentum);

  // The least and the largest representable value of each coordinate. Rounding does not move a coordinate that lies at
  // one of them.
  property::Box limits(const reduction::InputSpace& space) const;

  // The verdict by the witness; without one, by a point that was noted. One of them must be there.
  verdict::Verdict violated(std::string reason);
  // Unknown, unless a point was noted that is unsafe over the reals.
  verdict::Verdict undecided(std::string reason, double worst_bound);

 private:
  bool keep(std::optional<verdict::Witness> witness);

  const SearchTask& task_;
  std::size_t part_;
  bool is_image_;
  attack::WitnessCheck check_;
  std::optional<verdict::Witness> witness_, over_reals_;
};

}  // namespace plumb::search
