// certificate.h: the certificate of one question, as a file (docs/certificates.md).
//
// In:  what a search reports about the question's queries, and the verdict.
// Out: a file for `holds` and for `violated`, complete or absent. Nothing is written for `unknown`.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "certificate/recorder.h"

namespace plumb::certificate {

// The bytes with which every certificate begins: what it is, and the version.
inline constexpr std::string_view kBeginning = "plumb certificate\n\x01";

// The network that questions are about, as certificates name it.
struct NetworkFile {
  std::shared_ptr<const network::Network> network;
  std::string sha256;  // of the uncompressed file
};
// Reads the file. Throws FileError or DataError as read_file() does.
std::string sha256_of_file(const std::filesystem::path& path);

// Throws FileError if no file can be made in this folder.
void expect_writable(const std::filesystem::path& folder);

class Certificate {
 public:
  // Throws FileError if the file's folder does not exist or cannot be written.
  Certificate(std::filesystem::path target, NetworkFile network);

  // Hears the searches that decide the question.
  events::EventSink& listener() { return recorder_; }

  // Writes the file. Returns an empty text, or says why the verdict has no certificate: it is unknown, or its witness
  // is not proven. Throws FileError if the file cannot be written, another error if the proof cannot.
  std::string write(const verdict::Verdict& verdict) const;

 private:
  void write_holds() const;
  void write_violated(const verdict::Witness& witness) const;

  std::filesystem::path target_;
  NetworkFile network_;
  Recorder recorder_;
};

}  // namespace plumb::certificate
