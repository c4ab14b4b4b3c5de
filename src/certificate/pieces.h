// pieces.h: the numbers that the pieces of a part have in a certificate, and whether they were all proven.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "property/region.h"

namespace plumb::certificate {

class Pieces {
 public:
  // Piece 0 is the whole part.
  explicit Pieces(const property::SimpleRegion& part);

  // Each throws InternalError unless the piece is open. The piece may be a box around the ball that is the part.
  std::int64_t number(const property::SimpleRegion& piece) const { return find(piece)->second; }
  void close(const property::SimpleRegion& piece) { open_.erase(find(piece)); }

  struct Halving {
    std::int64_t piece = 0, input = 0;
    double low_end = 0, high_start = 0;  // x <= low_end in the first half, x >= high_start in the second
  };
  // The halves have the next two numbers.
  Halving halve(const property::SimpleRegion& piece, const property::SimpleRegion& low,
                const property::SimpleRegion& high);

  bool all_closed() const { return open_.empty(); }

 private:
  using Key = std::vector<double>;  // the ends of the box that may be halved; empty for balls
  using Open = std::map<Key, std::int64_t>;
  static Key key_of(const property::SimpleRegion& piece);
  Open::const_iterator find(const property::SimpleRegion& piece) const;

  Open open_;
  std::int64_t next_ = 1;
};

}  // namespace plumb::certificate
