#include "certificate/spool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/error.h"
#include "base/numbers.h"

namespace plumb::certificate {
namespace {

constexpr std::size_t kMostInMemory = std::size_t{8} << 20;
constexpr std::size_t kReadAtOnce = std::size_t{1} << 20;

[[noreturn]] void fail(const std::filesystem::path& folder, const char* what) {
  throw FileError(
      folder.string(),
      fmt::format("a temporary file for a certificate {}: {}", what, std::generic_category().message(errno)),
      "check the free space and the permissions of the folder");
}

}  // namespace

Spool::~Spool() {
  if (file_ >= 0) close(file_);
}

void Spool::append(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() > kMostInMemory) move_to_file();
}

void Spool::move_to_file() {
  if (file_ < 0) {
    std::string name = (folder_ / ".plumb-certificate-XXXXXX").string();
    file_ = mkostemp(name.data(), O_CLOEXEC);
    if (file_ < 0) fail(folder_, "cannot be made");
    unlink(name.c_str());
  }
  for (std::size_t done = 0; done < buffer_.size();) {
    const ssize_t written = pwrite(file_, buffer_.data() + done, buffer_.size() - done,
                                   static_cast<off_t>(in_file_ + static_cast<std::int64_t>(done)));
    if (written < 0 && errno != EINTR) fail(folder_, "cannot be written");
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  in_file_ += static_cast<std::int64_t>(buffer_.size());
  buffer_.clear();
}

void Spool::shrink(std::int64_t size) {
  if (size >= in_file_) return buffer_.resize(index(size - in_file_));
  in_file_ = size;
  buffer_.clear();
}

void Spool::read(std::int64_t first, std::int64_t last, const std::function<void(std::string_view)>& take) const {
  std::string chunk;
  while (first < std::min(last, in_file_)) {
    chunk.resize(std::min(kReadAtOnce, index(std::min(last, in_file_) - first)));
    const ssize_t got = pread(file_, chunk.data(), chunk.size(), static_cast<off_t>(first));
    if (got == 0) errno = EIO;
    if (got <= 0 && errno != EINTR) fail(folder_, "cannot be read");
    if (got <= 0) continue;
    take(std::string_view(chunk).substr(0, static_cast<std::size_t>(got)));
    first += got;
  }
  if (first < last) take(std::string_view(buffer_).substr(index(first - in_file_), index(last - first)));
}

}  // namespace plumb::certificate
