// certificate_option.h: --certificate, the same for properties and for one sample.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "assembly/engine.h"
#include "certificate/certificate.h"
#include "cli/verdict_json.h"

namespace plumb::cli {

// Throws UsageError, which names the flag, if the engine writes no certificates.
void expect_certifying(const assembly::Engine& engine, const char* flag);

// The network as it is searched: units that repeat each other share one, unless a certificate has to name all of them.
std::shared_ptr<const network::Network> searched(std::shared_ptr<const network::Network> network, bool certified);

// A certificate to be written, if --certificate was given.
class CertificateToWrite {
 public:
  // `file` is the certificate's; empty means none. Throws UsageError if the engine writes none, FileError if the file's
  // folder cannot be used.
  CertificateToWrite(const std::string& file, const std::string& network_file,
                     const std::shared_ptr<const network::Network>& network, const assembly::Engine& engine);

  bool is_wanted() const { return certificate_.has_value(); }
  // The engine's decide, heard by the certificate if one is wanted.
  verdict::Decide decide();
  // Writes it if the verdict has one, and says so if it has none. An error is kept for later: the verdict comes first.
  void write(const verdict::Verdict& verdict);
  // Adds the file, or null if it was not written. Adds nothing if no certificate is wanted.
  void add_to(Json& json) const;
  // Throws the error that kept it from being written, if there was one.
  void rethrow() const;

 private:
  std::string file_;
  const assembly::Engine& engine_;
  std::optional<certificate::Certificate> certificate_;
  std::optional<std::string> written_;
  std::exception_ptr error_;
};

}  // namespace plumb::cli
