#include "verdict/witness.h"

#include "base/error.h"

namespace plumb::verdict {

const char* name_of(WitnessEvidence evidence) {
  switch (evidence) {
    case WitnessEvidence::kExact:
      return "exact";
    case WitnessEvidence::kRealOnly:
      return "real only";
    case WitnessEvidence::kFloatOnly:
      return "float only";
  }
  throw InternalError("name_of", "invalid WitnessEvidence value");
}

std::string evidence_text(const Witness& witness) {
  switch (witness.evidence) {
    case WitnessEvidence::kExact:
      return "";
    case WitnessEvidence::kRealOnly:
      return "over the reals, not in float32";
    case WitnessEvidence::kFloatOnly:
      return "in floating point";
  }
  throw InternalError("evidence_text", "invalid WitnessEvidence value");
}

}  // namespace plumb::verdict
