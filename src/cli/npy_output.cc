#include "cli/npy_output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/error.h"

namespace plumb::cli {

void write_npy(const std::string& path, std::span<const double> values, std::int64_t rows, std::int64_t columns) {
  std::string header = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  constexpr std::size_t kPreamble = 10;  // magic, version, length
  header.append(63 - (kPreamble + header.size()) % 64, ' ');
  header += '\n';
  const auto length = static_cast<std::uint16_t>(header.size());
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\x00", 8);
  file.put(static_cast<char>(length & 0xff)).put(static_cast<char>(length >> 8));
  file << header;
  file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
  file.close();
  if (!file) {
    throw FileError(path, fmt::format("cannot be written: {}", std::strerror(errno)),
                    "check the folder, its permissions and the free space");
  }
}

}  // namespace plumb::cli
