// witness.h: a counterexample: a point of the region that is unsafe, and in which arithmetic it is.
//
// attack/witness_check.h decides which points become witnesses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumb::verdict {

// In which arithmetic a witness is unsafe.
enum class WitnessEvidence : std::uint8_t {
  kExact,      // over the reals, proven, and in float32 evaluation
  kRealOnly,   // over the reals, proven; not in float32 evaluation, or its coordinates are no numbers of the input's
               // type
  kFloatOnly,  // in double and in float32 evaluation, by far more than these round; not proven over the reals
};

const char* name_of(WitnessEvidence evidence);  // exact, real only, float only

struct Witness {
  std::vector<double> input;
  std::vector<double> outputs;  // in double
  // How far the unsafe set is satisfied (attack/slack.h), in double or in float32, whichever is less.
  double slack = 0;
  // The part of the region that the input lies in.
  std::size_t part = 0;
  // If that is an affine image: the parameters z, exactly inside what they range over. The point meant is the real
  // offset + G z, which has no exact coordinates; `input` is the nearest numbers of the input's type, and the unsafe
  // set holds in double at the nearest doubles too. Empty for other parts: there the input itself lies in the part,
  // exactly.
  std::vector<double> parameters;
  // False if the part left no number of the input's type for some coordinate (an input fixed at 0.1, say): that
  // coordinate is a double, and float32 evaluation was given the float32 nearest to it.
  bool representable = true;
  WitnessEvidence evidence = WitnessEvidence::kFloatOnly;
};

// What is moved to move the witness: the parameters of an affine image, the input otherwise.
inline const std::vector<double>& variables_of(const Witness& witness) {
  return witness.parameters.empty() ? witness.input : witness.parameters;
}

// The arithmetic in which it is unsafe, for people; nothing if it is unsafe in all.
std::string evidence_text(const Witness& witness);

}  // namespace plumb::verdict
