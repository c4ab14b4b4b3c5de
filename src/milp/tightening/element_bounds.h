// element_bounds.h: bounds of single elements of one node, by linear or mixed-integer programs over what lies before
// it.
//
// In:  bounds of the nodes before; elements of a node, each with the side that is asked for.
// Out: a bound for each: the least value of the element, or of its negative.
//
// Two programs an element at most; LPs keep their basis from one to the next (LpSession). Elements are dealt with in
// groups of fixed size, several groups at a time: results do not depend on the number of threads.
//
// Sound:   kLp: rebuilt from the row duals in Plumb's own arithmetic (certified_bound.h), whatever the solver did.
//          kMilp: the solver's claim, lowered by kClaimTolerance; one that stops early claims less, nothing wrong.
// Follows: Tjeng et al., section 4.3 and appendix B.
#pragma once

#include "base/limits.h"
#include "base/numbers.h"
#include "milp/encoding/encoding.h"
#include "program/solver.h"

namespace plumb::milp {

inline constexpr double kClaimTolerance = 1e-6;  // relative to max(1, |bound|)

// +x or -x is to be bounded from below. `enough`: a bound that is as good as any.
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
  bool layered = false;  // also where the reduced network does not fit into most_bytes
  std::int64_t most_bytes = std::int64_t{1} << 28;
  int threads = 1;
  std::int64_t milp_nodes = 50;  // of each mixed-integer program
};

class ElementBounds {
 public:
  // The bounds' region has one part. Elements are in order. Keeps references.
  ElementBounds(const bounds::RegionBounds& bounds, network::NodeId id, std::vector<std::int64_t> elements,
                const program::Solver& solver, const ElementBoundOptions& options);

  // Lower bounds, in the order of sides; minus infinity where none was found. Sides are of elements that it was made
  // for. `method` is kLp or kMilp. Ends early, with what is known, when the budget is used up.
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
  std::vector<std::int64_t> elements_;  // in order
  EncodedNetwork network_;              // its functionals are the elements
  ElementBoundStatistics statistics_;
};

}  // namespace plumb::milp
