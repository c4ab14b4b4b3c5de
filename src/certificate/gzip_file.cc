#include "certificate/gzip_file.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <new>
#include <system_error>

#include "base/error.h"

namespace plumb::certificate {
namespace {

// Higher levels take twice the time for 4 % of the size.
constexpr int kLevel = 1, kGzip = 16, kMemoryLevel = 8;
constexpr std::size_t kMostAtOnce = std::size_t{1} << 20;

}  // namespace

struct GzipFile::Stream {
  Stream() {
    if (deflateInit2(&zlib, kLevel, Z_DEFLATED, kGzip + MAX_WBITS, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~Stream() { deflateEnd(&zlib); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  z_stream zlib{};
  std::array<unsigned char, std::size_t{1} << 16> out;
};

GzipFile::GzipFile(std::filesystem::path target)
    : target_(std::move(target)),
      partial_(fmt::format("{}.{}.partial", target_.string(), getpid())),
      file_(std::fopen(partial_.c_str(), "wb")) {
  if (file_ == nullptr) fail();
  stream_ = std::make_unique<Stream>();
}

GzipFile::~GzipFile() {
  if (file_ != nullptr) std::fclose(file_);
  std::error_code ignored;
  if (!partial_.empty()) std::filesystem::remove(partial_, ignored);
}

void GzipFile::fail() const {
  throw FileError(target_.string(), fmt::format("cannot be written: {}", std::generic_category().message(errno)),
                  "check the free space and the permissions of the folder");
}

void GzipFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view now = bytes.substr(0, kMostAtOnce);
    bytes.remove_prefix(now.size());
    stream_->zlib.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(now.data()));
    stream_->zlib.avail_in = static_cast<unsigned int>(now.size());
    deflate_waiting(Z_NO_FLUSH);
  }
}

void GzipFile::deflate_waiting(int flush) {
  z_stream& zlib = stream_->zlib;
  do {
    zlib.next_out = stream_->out.data();
    zlib.avail_out = static_cast<unsigned int>(stream_->out.size());
    deflate(&zlib, flush);
    const std::size_t made = stream_->out.size() - zlib.avail_out;
    if (std::fwrite(stream_->out.data(), 1, made, file_) != made) fail();
  } while (zlib.avail_out == 0);
}

void GzipFile::finish() {
  deflate_waiting(Z_FINISH);
  const bool written = std::fflush(file_) == 0;
  if (!written) fail();
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
  if (std::rename(partial_.c_str(), target_.c_str()) != 0) fail();
  partial_.clear();
}

}  // namespace plumb::certificate
