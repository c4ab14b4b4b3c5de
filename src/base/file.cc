#include "base/file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace plumb {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using OpenFile = std::unique_ptr<std::FILE, CloseFile>;

std::string hint_for(int error) {
  if (error == ENOENT || error == ENOTDIR) return "check the path; it is relative to the current directory";
  if (error == EACCES || error == EPERM) return "make the file and the directories above it readable";
  if (error == EISDIR) return "give a file, not a directory";
  return "";
}

[[noreturn]] void throw_file_error(const std::filesystem::path& path, int error, const char* what_failed) {
  throw FileError(path.string(), fmt::format("{}: {}", what_failed, std::generic_category().message(error)),
                  hint_for(error));
}

[[noreturn]] void throw_too_large(const std::string& name, std::int64_t max_bytes) {
  throw DataError(name, fmt::format("the content is larger than {} bytes, which is the limit", max_bytes),
                  "split the file, or check that it is the right one");
}

OpenFile open_to_read(const std::filesystem::path& path) {
  std::error_code ignored;  // if the check itself fails, fopen reports a better error
  if (std::filesystem::is_directory(path, ignored)) throw_file_error(path, EISDIR, "cannot be read");
  errno = 0;
  OpenFile file(std::fopen(path.c_str(), "rb"));
  if (!file) throw_file_error(path, errno, "cannot be opened");
  return file;
}

// A gzip stream that zlib inflates chunk by chunk. The destructor releases zlib's state.
class Inflater {
 public:
  explicit Inflater(std::string_view bytes) : rest_(bytes) {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, kGzipOnly + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Inflates into `chunk`. Returns zlib's return code and the number of bytes written.
  std::pair<int, std::size_t> inflate_into(std::array<char, kChunk>& chunk) {
    // zlib counts its input in 32 bits, so it is fed in chunks.
    const std::size_t given = std::min(rest_.size(), kChunk);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest_.data()));
    stream_.avail_in = static_cast<uInt>(given);
    stream_.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream_.avail_out = static_cast<uInt>(chunk.size());
    const int answer = inflate(&stream_, Z_NO_FLUSH);
    if (answer == Z_MEM_ERROR) throw std::bad_alloc();
    rest_.remove_prefix(given - stream_.avail_in);
    return {answer, chunk.size() - stream_.avail_out};
  }

  void start_next_member() { inflateReset(&stream_); }
  std::string_view rest() const { return rest_; }
  std::string complaint() const { return stream_.msg != nullptr ? stream_.msg : "no reason given"; }

 private:
  std::string_view rest_;
  z_stream stream_{};
};

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

}  // namespace

std::string uncompressed(std::string bytes, const std::string& name, std::int64_t max_bytes) {
  if (!is_gzip(bytes)) {
    if (std::cmp_greater(bytes.size(), max_bytes)) throw_too_large(name, max_bytes);
    return bytes;
  }
  Inflater inflater(bytes);
  const auto chunk = std::make_unique<std::array<char, kChunk>>();
  std::string content;
  while (true) {
    const auto [answer, written] = inflater.inflate_into(*chunk);
    content.append(chunk->data(), written);
    if (std::cmp_greater(content.size(), max_bytes)) throw_too_large(name, max_bytes);
    if (answer == Z_STREAM_END) {
      if (inflater.rest().empty()) return content;
      if (!is_gzip(inflater.rest())) {
        throw DataError(name, fmt::format("{} bytes follow the end of the gzip stream", inflater.rest().size()),
                        "the file is damaged: get it again");
      }
      inflater.start_next_member();  // `cat a.gz b.gz` is a gzip file too
    } else if (answer == Z_BUF_ERROR && inflater.rest().empty()) {
      throw DataError(name, fmt::format("the gzip stream is truncated after {} bytes", bytes.size()),
                      "the file is incomplete: get it again");
    } else if (answer != Z_OK) {
      throw DataError(name,
                      fmt::format("the gzip stream is damaged at byte {}: {}", bytes.size() - inflater.rest().size(),
                                  inflater.complaint()),
                      "the file is damaged: get it again");
    }
  }
}

std::string read_file(const std::filesystem::path& path, std::int64_t max_bytes) {
  const OpenFile file = open_to_read(path);
  const auto chunk = std::make_unique<std::array<char, kChunk>>();
  std::string bytes;
  while (true) {
    errno = 0;
    const std::size_t got = std::fread(chunk->data(), 1, chunk->size(), file.get());
    bytes.append(chunk->data(), got);
    if (std::cmp_greater(bytes.size(), max_bytes)) throw_too_large(path.string(), max_bytes);
    if (got == chunk->size()) continue;
    if (std::ferror(file.get()) != 0) throw_file_error(path, errno, "cannot be read");
    return uncompressed(std::move(bytes), path.string(), max_bytes);
  }
}

}  // namespace plumb
