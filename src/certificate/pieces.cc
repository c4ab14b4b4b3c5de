#include "certificate/pieces.h"

#include "base/error.h"
#include "base/numbers.h"
#include "base/overloaded.h"

namespace plumb::certificate {
namespace {

const property::Box* halved_box(const property::SimpleRegion& region) {
  return std::visit(Overloaded{[](const property::Box& box) { return &box; },
                               [](const property::Ball&) -> const property::Box* { return nullptr; },
                               [](const property::AffineImage& image) { return &image.parameters; },
                               [](const property::Polytope& polytope) { return &polytope.box; }},
                    region);
}

}  // namespace

Pieces::Pieces(const property::SimpleRegion& part) { open_.emplace(key_of(part), 0); }

Pieces::Key Pieces::key_of(const property::SimpleRegion& piece) {
  Key key;
  if (const property::Box* box = halved_box(piece)) {
    key = box->lower;
    key.insert(key.end(), box->upper.begin(), box->upper.end());
  }
  return key;
}

Pieces::Open::const_iterator Pieces::find(const property::SimpleRegion& piece) const {
  for (const Key& key : {key_of(piece), Key()}) {
    const auto found = open_.find(key);
    if (found != open_.end()) return found;
  }
  throw InternalError("certificate", "a piece of the region that is not open");
}

Pieces::Halving Pieces::halve(const property::SimpleRegion& piece, const property::SimpleRegion& low,
                              const property::SimpleRegion& high) {
  const property::Box *below = halved_box(low), *above = halved_box(high);
  if (below == nullptr || above == nullptr) throw InternalError("certificate", "halves that are balls");
  Halving halving{.piece = number(piece)};
  const auto differs = [&](std::int64_t i) {
    return below->upper[index(i)] != above->upper[index(i)] || below->lower[index(i)] != above->lower[index(i)];
  };
  while (halving.input < static_cast<std::int64_t>(below->size()) && !differs(halving.input)) ++halving.input;
  if (halving.input == static_cast<std::int64_t>(below->size()))
    throw InternalError("certificate", "halves that are the same");
  halving.low_end = below->upper[index(halving.input)];
  halving.high_start = above->lower[index(halving.input)];
  close(piece);
  for (const property::SimpleRegion* half : {&low, &high}) open_.emplace(key_of(*half), next_++);
  return halving;
}

}  // namespace plumb::certificate
