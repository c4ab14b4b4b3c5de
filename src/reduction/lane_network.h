// lane_network.h: a reduced network laid out for lanes, and the passes over it.
//
// backward():      lower bounds (row_bound.h, for all lanes at once). In double they are rigorous; in float they guide
//                  a search and prove nothing.
// forward():       the relaxation's values at the minimiser, from which the bound's gradients follow.
// evaluate():      the true network at given points; differentiate(): the gradient there.
#pragma once

#include <vector>

#include "reduction/cuts.h"
#include "reduction/lanes.h"
#include "reduction/panels.h"
#include "reduction/reduced_network.h"
#include "reduction/row_bound.h"

namespace plumb {

template <class T>
class LaneNetwork {
 public:
  // Keeps references.
  LaneNetwork(const ReducedNetwork& network, const CutPool& cuts);

  const ReducedNetwork& network() const { return network_; }
  std::int64_t inputs() const { return inputs_; }
  std::int64_t units() const { return units_; }
  std::int64_t cuts() const { return cuts_; }

  Lanes<T> lanes() const;  // with the units' own lines, nothing split, default slopes, nothing asked
  // What a lane is to bound.
  void ask(Lanes<T>& lanes, std::int64_t lane, const LooseRow& row) const;

  void backward(Lanes<T>& lanes) const;
  void forward(Lanes<T>& lanes) const;
  void evaluate(Lanes<T>& lanes) const;  // `bound` receives the value of what is asked
  void differentiate(Lanes<T>& lanes) const;

  // For the kernels.
  struct Layout {
    std::int64_t inputs = 0, units = 0, cuts = 0;
    Panels<T> forward;   // rows: units and cuts, group by group; columns: inputs, then units
    Panels<T> backward;  // rows: units, last group first, then inputs; columns: units, then cuts
    std::vector<std::int32_t> forward_row,
        backward_row;  // which unit or cut (units + c); which unit or input (units + i)
    std::vector<std::int32_t> first_cut, cut_of_owner;  // cuts of unit k: cut_of_owner[first_cut[k] .. first_cut[k+1])
    AlignedVector<T> constant;                          // of each row
    AlignedVector<T> price;                             // what a unit of |coefficient| of each row costs; zero in float
    AlignedVector<T> owner_price;  // the same for a unit's negative coefficient, where cuts share it
    bool is_cube = true;
  };
  const Layout& layout() const { return layout_; }

 private:
  T minimise_over_part(Lanes<T>& lanes, std::int64_t lane) const;

  const ReducedNetwork& network_;
  std::int64_t inputs_, units_, cuts_;
  std::int64_t terms_;
  double underflow_ = 0;
  Layout layout_;
};

extern template class LaneNetwork<float>;
extern template class LaneNetwork<double>;

}  // namespace plumb
