// made_files.h: data files in the formats of other programs, made byte by byte so that a test can also break them.
#pragma once

#include <gtest/gtest.h>
#include <zip.h>
#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace plumb {

// A directory for the running test, deleted with the object.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(::testing::TempDir()) /
            (std::string("plumb_test_") + test->test_suite_name() + "_" + test->name());
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    const std::filesystem::path path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

 private:
  std::filesystem::path path_;
};

inline std::string gzipped(const std::string& content) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string bytes(deflateBound(&stream, static_cast<uLong>(content.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  const bool done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  if (!done) throw std::runtime_error("deflate did not finish");
  return bytes;
}

inline std::string big_endian(std::uint32_t word) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(word >> shift & 0xff));
  return bytes;
}

inline std::string idx_images(std::uint32_t count, std::uint32_t rows, std::uint32_t columns,
                              const std::string& pixels) {
  return big_endian(0x803) + big_endian(count) + big_endian(rows) + big_endian(columns) + pixels;
}

inline std::string idx_labels(std::uint32_t count, const std::string& labels) {
  return big_endian(0x801) + big_endian(count) + labels;
}

// A .npy file whose header dictionary is `dictionary`.
inline std::string npy_with_header(const std::string& dictionary, const std::string& payload, char major = 1) {
  std::string text = dictionary + "\n";
  std::string bytes = "\x93NUMPY" + std::string{major, '\0'};
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) bytes.push_back(static_cast<char>(text.size() >> (8 * i) & 0xff));
  return bytes + text + payload;
}

// As written by numpy.save. `shape` is in Python's syntax: "(2, 3)".
inline std::string npy(const std::string& type, const std::string& shape, const std::string& payload) {
  return npy_with_header("{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }", payload);
}

// The bytes of `values` as stored in memory (little-endian on the machines of the tests).
template <class T>
std::string raw(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// A zip archive with these members at `path`; `method` is ZIP_CM_STORE or ZIP_CM_DEFLATE.
inline void write_zip(const std::filesystem::path& path, const std::map<std::string, std::string>& members,
                      int method) {
  zip_t* const archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  if (archive == nullptr) throw std::runtime_error("zip_open failed");
  for (const auto& [name, content] : members) {
    zip_source_t* const source = zip_source_buffer(archive, content.data(), content.size(), 0);
    const zip_int64_t index = zip_file_add(archive, name.c_str(), source, 0);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), method, 0);
  }
  if (zip_close(archive) != 0) throw std::runtime_error("zip_close failed");
}

}  // namespace plumb
