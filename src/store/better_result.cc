#include "store/better_result.h"

#include "base/error.h"

namespace plumb::store {
namespace {

enum class Strength : std::uint8_t { kUnknown, kClaim, kProof };

Strength strength_of(const verdict::Verdict& verdict) {
  switch (verdict.answer) {
    case verdict::Answer::kUnknown:
      return Strength::kUnknown;
    case verdict::Answer::kHolds:
      return verdict.evidence == verdict::Evidence::kSolver ? Strength::kClaim : Strength::kProof;
    case verdict::Answer::kViolated:
      return Strength::kProof;
  }
  throw InternalError("store", "invalid Answer value");
}

}  // namespace

Kept better_result(const verdict::Verdict& earlier, const verdict::Verdict& later) {
  const Strength before = strength_of(earlier), after = strength_of(later);
  if (before == Strength::kProof && after == Strength::kProof && earlier.answer != later.answer) {
    return Kept::kContradiction;
  }
  return after >= before ? Kept::kLater : Kept::kEarlier;
}

}  // namespace plumb::store
