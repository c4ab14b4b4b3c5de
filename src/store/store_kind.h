// store_kind.h: the kinds of stores, and which of them a name means.
//
// A kind is a file that implements the interfaces of store.h, new_store.h and result_table.h, and a function that
// returns its StoreKind. The function is declared and listed here; nothing else knows of the kind.
#pragma once

#include <array>
#include <span>

#include "store/new_store.h"
#include "store/store.h"

namespace plumb::store {

struct StoreKind {
  // Whether `where` has the form in which this kind's stores are named. The store need not exist.
  bool (*is_meant_by)(const std::string& where) = nullptr;
  std::unique_ptr<Store> (*open)(const std::string& where, const std::vector<Setting>& settings) = nullptr;
  std::unique_ptr<StoreReader> (*read)(const std::string& where) = nullptr;
  // Throws FileError if the store exists.
  std::unique_ptr<NewStore> (*create)(const std::string& where) = nullptr;
};

using MakeStoreKind = StoreKind (*)();

// In the order in which they are tried.
StoreKind sqlite_file();  // takes any path, so it comes last
inline constexpr std::array kStoreKinds{&sqlite_file};

// The first kind that is meant by `where`.
StoreKind kind_of_store(const std::string& where, std::span<const MakeStoreKind> kinds = kStoreKinds);

}  // namespace plumb::store
