// ascent_kernels.h: one step of Adam over all lanes, in SIMD.
#pragma once

#include "lanes/adam.h"

namespace plumb::lanes::ascent_kernels {

// Adam's usual decay rates of its two running means.
inline constexpr double kFirstDecay = 0.9, kSecondDecay = 0.999;

// The rates of one step, with Adam's bias corrections.
struct Rates {
  double slope, multiplier, weight;
  double second;  // 1 / (1 - beta2^t)
};

// Copies the choices, minimiser and bound of each lane whose bound is above its best one so far.
void keep_best(const Lanes<float>& lanes, Ascent<float>& ascent);
void keep_best(const Lanes<double>& lanes, Ascent<double>& ascent);

void step(const CutsOfUnits& cuts, const Rates& rates, Lanes<float>& lanes, AdamMeans<float>& means);
void step(const CutsOfUnits& cuts, const Rates& rates, Lanes<double>& lanes, AdamMeans<double>& means);

}  // namespace plumb::lanes::ascent_kernels
