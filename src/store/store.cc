#include "store/store.h"

#include "base/error.h"
#include "store/store_kind.h"

namespace plumb::store {

StoreKind kind_of_store(const std::string& where, std::span<const MakeStoreKind> kinds) {
  for (const MakeStoreKind make : kinds) {
    if (StoreKind kind = make(); kind.is_meant_by(where)) return kind;
  }
  throw DataError(where, "is not the name of a store");
}

std::unique_ptr<Store> open_store(const std::string& where, const std::vector<Setting>& settings) {
  return kind_of_store(where).open(where, settings);
}

std::unique_ptr<StoreReader> read_store(const std::string& where) { return kind_of_store(where).read(where); }

StoredResult as_checked(StoredResult result) {
  if (result.certified != Certified::kRejected) return result;
  verdict::Verdict unknown = verdict::unknown("certificate rejected: " + result.rejected_because);
  unknown.statistics = std::move(result.verdict.statistics);
  result.verdict = std::move(unknown);
  result.implied_by.clear();
  return result;
}

}  // namespace plumb::store
