// lane_kernels.h: the passes over a reduced network in SIMD. The instruction set is chosen at run time.
#pragma once

#include "lanes/cpu_lanes.h"
#include "lanes/lane_network.h"

namespace plumb::lanes::lane_kernels {

// What backward() sums in each lane. Over a cube the bound is constant - absolute, up to rounding.
template <class T>
struct BackwardSums {
  alignas(kCacheLine) LaneArray<T> constant{};
  alignas(kCacheLine) LaneArray<T> absolute{};    // sum |a_i| over the inputs, for a cube
  alignas(kCacheLine) LaneArray<T> price{};       // sum of the rows' errors, each times its |coefficient|
  alignas(kCacheLine) LaneArray<T> intercepts{};  // sum of the absolute contributions of upper lines' intercepts
};

// Leaves the row over the inputs in `gradient` and, for a cube, the minimiser in `values`.
void backward(const LaneNetwork<float>::Layout& layout, Lanes<float>& lanes, BackwardSums<float>& sums);
void backward(const LaneNetwork<double>::Layout& layout, Lanes<double>& lanes, BackwardSums<double>& sums);

void forward(const LaneNetwork<float>::Layout& layout, Lanes<float>& lanes);
void forward(const LaneNetwork<double>::Layout& layout, Lanes<double>& lanes);

void evaluate(const LaneNetwork<float>::Layout& layout, Lanes<float>& lanes);
void evaluate(const LaneNetwork<double>::Layout& layout, Lanes<double>& lanes);

void differentiate(const LaneNetwork<float>::Layout& layout, Lanes<float>& lanes);
void differentiate(const LaneNetwork<double>::Layout& layout, Lanes<double>& lanes);

}  // namespace plumb::lanes::lane_kernels
