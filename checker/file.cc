#include "file.h"

#include <openssl/evp.h>
#include <zlib.h>

#include "error.h"

namespace checker {

std::string read_file(const std::string& path, std::size_t limit) {
  gzFile file = gzopen(path.c_str(), "rb");  // reads plain files too
  if (file == nullptr) throw BadFile(path + ": cannot be opened");
  std::string bytes, piece(std::size_t{1} << 20, '\0');
  int count = 0;
  while (bytes.size() <= limit && (count = gzread(file, piece.data(), static_cast<unsigned>(piece.size()))) > 0) {
    bytes.append(piece, 0, static_cast<std::size_t>(count));
  }
  // A compressed file that is cut off shows only when it is closed.
  if (gzclose(file) != Z_OK || count < 0) throw BadFile(path + ": cannot be read, or is a damaged gzip file");
  if (bytes.size() > limit) throw BadFile(path + ": is larger than " + std::to_string(limit) + " bytes");
  return bytes;
}

std::string sha256_of(const std::string& bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest, &length, EVP_sha256(), nullptr) != 1) {
    throw BadFile("SHA-256 cannot be computed");
  }
  std::string text;
  for (unsigned i = 0; i < length; ++i) {
    text += "0123456789abcdef"[digest[i] >> 4];
    text += "0123456789abcdef"[digest[i] & 15];
  }
  return text;
}

}  // namespace checker
