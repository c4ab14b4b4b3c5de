// lane_attack.h: gradient descents towards unsafe points, on the rows of a region, one descent per lane.
//
// Not sound, and not meant to be: a point that looks unsafe is handed to the witness check.
#pragma once

#include <functional>
#include <random>

#include "base/limits.h"
#include "lanes/lane_system.h"

namespace plumb::search {

// Returns whether the network input at u is a witness. The function itself has to keep the witness.
using TryPoint = std::function<bool(std::span<const double> u)>;

// Takes `steps` steps from the inputs in `values`, each of which decreases what the first `count` lanes ask. Returns
// true as soon as try_point accepts a point whose value is at most zero. With a budget, no step is taken once it has
// reached a limit. With momentum, steps follow a mean of the gradients, of which that share is kept per step.
template <class T>
bool descend(const lanes::LaneSystem<T>& system, lanes::Lanes<T>& lanes, std::int64_t count, int steps,
             const TryPoint& try_point, const Budget* budget = nullptr, double momentum = 0);

// Sets a lane's inputs to a random point of the region.
template <class T>
void randomise_inputs(const lanes::LaneSystem<T>& system, lanes::Lanes<T>& lanes, std::int64_t lane,
                      std::mt19937_64& random);

extern template bool descend(const lanes::LaneSystem<float>&, lanes::Lanes<float>&, std::int64_t, int, const TryPoint&,
                             const Budget*, double);
extern template bool descend(const lanes::LaneSystem<double>&, lanes::Lanes<double>&, std::int64_t, int,
                             const TryPoint&, const Budget*, double);
extern template void randomise_inputs(const lanes::LaneSystem<float>&, lanes::Lanes<float>&, std::int64_t,
                                      std::mt19937_64&);
extern template void randomise_inputs(const lanes::LaneSystem<double>&, lanes::Lanes<double>&, std::int64_t,
                                      std::mt19937_64&);

}  // namespace plumb::search
