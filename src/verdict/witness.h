// witness.h: a counterexample: an unsafe point of the region, and the arithmetic in which it is unsafe.
//
// attack/witness_check.h decides which points become witnesses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumb::verdict {

// In which arithmetic a witness is unsafe.
enum class WitnessEvidence : std::uint8_t {
  kExact,      // proven over the reals, and confirmed in float32 evaluation
  kRealOnly,   // proven over the reals; but safe in float32, or some coordinate is not a number of the input's type
  kFloatOnly,  // unsafe in double and float32 by far more than their rounding errors; not proven over the reals
};

const char* name_of(WitnessEvidence evidence);  // exact, real only, float only

struct Witness {
  std::vector<double> input;
  std::vector<double> outputs;  // evaluated in double
  // How far the point is inside the unsafe set (attack/slack.h): the lesser of the slacks in double and in float32.
  double slack = 0;
  // The part of the region that the input lies in.
  std::size_t part = 0;
  // If that part is an affine image: the parameters z, which lie exactly in their range. The witness is then the real
  // point offset + G z, which has no exact coordinates. `input` holds the nearest numbers of the input's type; the
  // nearest doubles are also unsafe, evaluated in double. Empty for other parts: there `input` itself lies in the part,
  // exactly.
  std::vector<double> parameters;
  // False if the part contains no number of the input's type for some coordinate (say, an input fixed at 0.1). That
  // coordinate is then a double, and float32 evaluation used the float32 nearest to it.
  bool representable = true;
  WitnessEvidence evidence = WitnessEvidence::kFloatOnly;
};

// The variables to change in order to move the witness: the parameters of an affine image, the input otherwise.
inline const std::vector<double>& variables_of(const Witness& witness) {
  return witness.parameters.empty() ? witness.input : witness.parameters;
}

// The arithmetic in which the witness is unsafe, in words for people; empty if it is unsafe in all.
std::string evidence_text(const Witness& witness);

}  // namespace plumb::verdict
