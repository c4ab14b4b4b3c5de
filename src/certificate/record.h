// record.h: one record of a certificate, as bytes (docs/certificates.md defines records and fields).
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace plumb::certificate {

enum class Kind : std::uint8_t {
  kAnswer = 1,
  kNetwork,
  kName,
  kUnsafe,
  kPart,
  kPiece,
  kEmpty,
  kUnits,
  kCoordinates,
  kTight,
  kRefuted,
  kCuts,
  kCut,
  kMerged,
  kTree,
  kSplit,
  kNarrow,
  kImply,
  kForget,
  kClose,
  kBare,
  kProgram,
  kTreeEnd,
  kElements,
  kBound,
  kElementsEnd,
  kHalved,
  kProven,
  kWitness,
  kEnd,
  kValues
};

class Record {
 public:
  Record() = default;  // fields that belong to another one
  explicit Record(Kind kind) : bytes_(1, static_cast<char>(kind)) {}

  // Throws InternalError if the number is negative.
  Record& n(std::integral auto number) { return number_field(static_cast<std::int64_t>(number)); }
  // Throws DataError if the number is not finite.
  Record& d(double number);
  Record& text(std::string_view text);
  // In the shortest of the format's kinds.
  Record& reals(std::span<const double> numbers);

  const std::string& bytes() const { return bytes_; }

 private:
  Record& number_field(std::int64_t number);

  std::string bytes_;
};

}  // namespace plumb::certificate
