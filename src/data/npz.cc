#include "data/npz.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zip.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"

namespace plumb::data {
namespace {

constexpr std::string_view kSuffix = ".npy";

struct DiscardArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseMember {
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};

class Archive {
 public:
  Archive(std::string_view bytes, std::string name) : name_(std::move(name)) {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* const source = zip_source_buffer_create(bytes.data(), bytes.size(), /*freep=*/0, &error);
    if (source != nullptr) archive_.reset(zip_open_from_source(source, ZIP_RDONLY, &error));
    if (archive_) return;  // it owns the source
    if (source != nullptr) zip_source_free(source);
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    throw DataError(name_, fmt::format("the archive cannot be read: {}", reason),
                    "the file is damaged or not a .npz file: write it again with numpy.savez");
  }

  // The names of the arrays, without ".npy".
  std::vector<std::string> arrays() const {
    std::vector<std::string> names;
    for (zip_int64_t i = 0; i < zip_get_num_entries(archive_.get(), 0); ++i) {
      const char* const member = zip_get_name(archive_.get(), static_cast<zip_uint64_t>(i), ZIP_FL_ENC_RAW);
      if (member == nullptr || !std::string_view(member).ends_with(kSuffix)) continue;
      names.emplace_back(member, std::string_view(member).size() - kSuffix.size());
    }
    return names;
  }

  NpyArray array(const std::string& array_name, std::int64_t max_bytes) const {
    const std::string member = array_name + std::string(kSuffix);
    return read_npy(unpacked(member, max_bytes), where(member));
  }

 private:
  std::string where(const std::string& member) const { return fmt::format("{}: {}", name_, member); }

  std::string unpacked(const std::string& member, std::int64_t max_bytes) const {
    const std::unique_ptr<zip_file_t, CloseMember> file(zip_fopen(archive_.get(), member.c_str(), ZIP_FL_ENC_RAW));
    if (!file) throw_unreadable(member, zip_strerror(archive_.get()));
    std::string content;
    const auto chunk = std::make_unique<std::array<char, 1 << 16>>();
    while (true) {
      const zip_int64_t got = zip_fread(file.get(), chunk->data(), chunk->size());
      if (got < 0) throw_unreadable(member, zip_file_strerror(file.get()));
      if (got == 0) return content;
      content.append(chunk->data(), static_cast<std::size_t>(got));
      if (std::cmp_greater(content.size(), max_bytes)) {
        throw DataError(where(member), fmt::format("the array is larger than {} bytes, which is the limit", max_bytes),
                        "split the data set");
      }
    }
  }

  [[noreturn]] void throw_unreadable(const std::string& member, const char* reason) const {
    throw DataError(where(member), fmt::format("the array cannot be unpacked: {}", reason),
                    "the file is damaged: get it again");
  }

  std::string name_;
  std::unique_ptr<zip_t, DiscardArchive> archive_;
};

std::string listed(const std::vector<std::string>& arrays) {
  return arrays.empty() ? "it has no arrays" : fmt::format("its arrays are {}", fmt::join(arrays, ", "));
}

// The one array whose name is among `candidates`; nothing if there is none.
std::optional<std::string> find_array(const std::vector<std::string>& arrays, const std::string& name,
                                      std::initializer_list<std::string_view> candidates) {
  std::optional<std::string> found;
  for (const std::string& array : arrays) {
    if (std::find(candidates.begin(), candidates.end(), array) == candidates.end()) continue;
    if (found) {
      throw DataError(name, fmt::format("{} and {} are both candidates; {}", *found, array, listed(arrays)),
                      "keep one of them");
    }
    found = array;
  }
  return found;
}

}  // namespace

NpzArrays read_npz(std::string_view bytes, const std::string& name, std::int64_t max_bytes) {
  const Archive archive(bytes, name);
  const std::vector<std::string> arrays = archive.arrays();
  const auto samples = find_array(arrays, name, {"x", "X", "images", "data", "inputs"});
  const auto labels = find_array(arrays, name, {"y", "Y", "labels", "targets"});
  const char* const hint = "save it with numpy.savez(file, x=samples, y=labels)";
  if (!samples) throw DataError(name, fmt::format("no array is named x; {}", listed(arrays)), hint);
  if (!labels && arrays.size() > 1) {
    throw DataError(name, fmt::format("no array is named y; {}", listed(arrays)), hint);
  }
  NpzArrays read{archive.array(*samples, max_bytes), std::nullopt};
  if (labels) read.labels = archive.array(*labels, max_bytes);
  return read;
}

}  // namespace plumb::data
