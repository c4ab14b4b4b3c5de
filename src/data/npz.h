// npz.h: samples and labels in an archive of arrays, as numpy.savez writes it.
//
// In:  the bytes of a zip archive with .npy members, stored or deflated.
// Out: the array named x, X, images, data or inputs, and the one named y, Y, labels or targets.
//
// Members are unpacked in chunks, up to `max_bytes`, whatever size the archive claims, and their checksums must be
// right. An archive is a DataError, which lists its arrays, if it has no samples, if it has two candidates for samples
// or for labels, or if it has other arrays but no labels. `name` stands in errors for the source of the bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "data/npy.h"

namespace plumb::data {

struct NpzArrays {
  NpyArray samples;
  std::optional<NpyArray> labels;  // nothing if the samples are the only array
};

NpzArrays read_npz(std::string_view bytes, const std::string& name, std::int64_t max_bytes = kMaxFileBytes);

}  // namespace plumb::data
