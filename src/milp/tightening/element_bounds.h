// element_bounds.h: bounds of single elements of a node, by linear or mixed-integer programs over the nodes before it.
//
// In:  bounds of the nodes before; elements of one node, each with the side to be bounded.
// Out: for each a lower bound, on the element or on its negative.
//
// There are at most two programs per element. LPs of one group keep their basis from one to the next (LpSession).
// Groups have a fixed size and several are solved at a time, so results do not depend on the number of threads.
//
// Sound:   kLp: bounds are rebuilt from the row duals in Plumb's own arithmetic (certified_bound.h), whatever the
//          solver did.
//          kMilp: bounds are the solver's claims, lowered by kClaimTolerance. A solve that stops early claims a weaker
//          bound, not a wrong one.
// Follows: Tjeng et al., section 4.3 and appendix B.
#pragma once

#include "base/limits.h"
#include "base/numbers.h"
#include "milp/encoding/encoding.h"
#include "program/solver.h"

namespace plumb::milp {

inline constexpr double kClaimTolerance = 1e-6;  // relative to max(1, |bound|)

// One side of an element: sign * x is to be bounded from below. A bound of `enough` is as good as any larger one.
struct Side {
  std::int64_t element = 0;
  int sign = 1;
  double enough = kInfinity;
};

struct ElementBoundStatistics {
  std::int64_t lps = 0, milps = 0, simplex_iterations = 0, nodes = 0;
};

struct ElementBoundOptions {
  EncodingOptions encoding;
  bool layered = false;  // encode the layers always, not only where the reduced network exceeds most_bytes
  std::int64_t most_bytes = std::int64_t{1} << 28;
  int threads = 1;
  std::int64_t milp_nodes = 50;  // limit of each mixed-integer program
};

class ElementBounds {
 public:
  // The bounds' region must have one part, and `elements` must be sorted. Keeps references to `solver` and `options`.
  ElementBounds(const bounds::RegionBounds& bounds, network::NodeId id, std::vector<std::int64_t> elements,
                const program::Solver& solver, const ElementBoundOptions& options);

  // Returns lower bounds in the order of `sides`; minus infinity where none was found. Each side must be of an element
  // that was given to the constructor. `method` is kLp or kMilp. Ends early, with what is known, when the budget is
  // used up.
  std::vector<double> lower_bounds(std::span<const Side> sides, bounds::BoundMethod method, Budget& budget);

  const ElementBoundStatistics& statistics() const { return statistics_; }

 private:
  const Expression& expression(std::int64_t element) const;
  std::unique_ptr<program::LpSession> open_session() const;
  double by_lp(program::LpSession& session, const Side& side, const Budget& budget,
               ElementBoundStatistics& counts) const;
  double by_milp(program::Program& program, const Side& side, const Budget& budget,
                 ElementBoundStatistics& counts) const;

  const program::Solver& solver_;
  const ElementBoundOptions& options_;
  std::vector<std::int64_t> elements_;  // sorted
  EncodedNetwork network_;              // its functionals are the elements
  ElementBoundStatistics statistics_;
};

}  // namespace plumb::milp
