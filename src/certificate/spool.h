// spool.h: bytes that are appended, taken back from the end, and read at last. What does not fit into a fixed amount of
// memory goes to a file.
//
// The file lies in a given folder, and has no name: nothing is left of it, however the program ends.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace plumb::certificate {

class Spool {
 public:
  explicit Spool(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  // Throws FileError if the file cannot be made or written.
  void append(std::string_view bytes);
  std::int64_t size() const { return in_file_ + static_cast<std::int64_t>(buffer_.size()); }
  // Takes back all bytes from `size` on.
  void shrink(std::int64_t size);
  // Hands over the bytes from `first` to `last`, in pieces. Throws FileError if the file cannot be read.
  void read(std::int64_t first, std::int64_t last, const std::function<void(std::string_view)>& take) const;

 private:
  void move_to_file();

  std::filesystem::path folder_;
  std::string buffer_;  // the bytes after those in the file
  std::int64_t in_file_ = 0;
  int file_ = -1;
};

}  // namespace plumb::certificate
