#include "file.h"

#include <openssl/sha.h>
#include <sys/stat.h>
#include <zlib.h>

#include <memory>
#include <vector>

#include "error.h"

namespace checker {

// zlib's functions for files pass one that is not compressed through as it is.
std::string read_file(const std::string& path, std::size_t max_size) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0 || S_ISDIR(about.st_mode)) throw BadFile(path + ": there is no such file");
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) throw BadFile(path + ": cannot be opened");
  std::string content;
  std::vector<char> chunk(std::size_t{1} << 18);
  for (int got = 1; got > 0;) {
    got = gzread(file.get(), chunk.data(), static_cast<unsigned>(chunk.size()));
    if (got > 0) content.append(chunk.data(), static_cast<std::size_t>(got));
    if (content.size() > max_size) throw BadFile(path + ": has more than " + std::to_string(max_size) + " bytes");
  }
  int error = Z_OK;
  const char* const problem = gzerror(file.get(), &error);
  if (error != Z_OK) throw BadFile(path + ": cannot be read to its end: " + problem);
  return content;
}

std::string sha256(std::string_view bytes) {
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), hash);
  std::string text;
  for (const unsigned char byte : hash) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

}  // namespace checker
