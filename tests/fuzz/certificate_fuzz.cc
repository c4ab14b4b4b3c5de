// Any bytes as a certificate: accepted, rejected, or refused as broken, in time and memory that are in proportion to
// the file. Every other exception is a defect. The same bytes are then checked against another network, for which the
// property is false: no bytes may prove that.
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "check.h"
#include "command_line.h"
#include "error.h"
#include "network.h"

namespace {

using checker::Arithmetic;

struct Asked {
  explicit Asked(const std::string& network_name) {
    arguments.network = std::string(PLUMB_FUZZ_DIR) + "/certificate/" + network_name;
    arguments.property = std::string(PLUMB_FUZZ_DIR) + "/certificate/property.vnnlib";
    network = checker::read_network(arguments.network);
    checker::find_places(network);
    question = checker::question_of(arguments, network);
  }

  checker::Arguments arguments;
  checker::Network network;
  checker::Question question;
};

// A file in memory that contains the bytes, compressed unless they are already.
class CertificateFile {
 public:
  CertificateFile(const std::uint8_t* data, std::size_t size) : descriptor_(memfd_create("certificate", 0)) {
    if (descriptor_ < 0) std::abort();
    if (size > 1 && data[0] == 0x1f && data[1] == 0x8b) {
      if (write(descriptor_, data, size) != static_cast<ssize_t>(size)) std::abort();
      return;
    }
    const gzFile file = gzdopen(dup(descriptor_), "wb1");
    if (file == nullptr || gzwrite(file, data, static_cast<unsigned>(size)) != static_cast<int>(size)) std::abort();
    if (gzclose(file) != Z_OK) std::abort();
  }
  ~CertificateFile() { close(descriptor_); }
  CertificateFile(const CertificateFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

bool accepts(const Asked& asked, Arithmetic arithmetic, const std::string& path) {
  try {
    checker::Reader reader(path);
    reader.next();  // the answer, and the network's hash, which `other` does not have
    reader.next();
    checker::Check(asked.network, asked.question, arithmetic).run(reader);
    return true;
  } catch (const checker::Rejected&) {
    return false;
  } catch (const checker::BadFile&) {
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  checker::round_upward();
  if (size == 0) return 0;
  static const Asked right("network.onnx"), other("other.onnx");
  const CertificateFile file(data, size);
  accepts(right, Arithmetic::kIntervals, file.path());
  if (accepts(other, Arithmetic::kIntervals, file.path()) || accepts(other, Arithmetic::kExact, file.path()))
    std::abort();
  return 0;
}
