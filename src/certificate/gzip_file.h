// gzip_file.h: a gzip-compressed file that is complete or absent.
//
// It is written beside its final place, under another name, and moved there at the end. Its bytes depend on the content
// alone.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

namespace plumb::certificate {

class GzipFile {
 public:
  // Throws FileError if the file cannot be made.
  explicit GzipFile(std::filesystem::path target);
  // Removes what was written, unless finish() succeeded.
  ~GzipFile();
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;

  // Each throws FileError if the file cannot be written.
  void write(std::string_view bytes);
  void finish();

 private:
  struct Stream;
  void deflate_waiting(int flush);
  [[noreturn]] void fail() const;

  std::filesystem::path target_, partial_;
  std::FILE* file_ = nullptr;
  std::unique_ptr<Stream> stream_;
};

}  // namespace plumb::certificate
