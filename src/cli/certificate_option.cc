#include "cli/certificate_option.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/messages.h"
#include "cli/usage_error.h"
#include "network/simplify.h"

namespace plumb::cli {

void expect_certifying(const assembly::Engine& engine, const char* flag) {
  if (engine.decide_heard) return;
  throw UsageError(flag, fmt::format("is available only with the bab engine, and the engine is {}", engine.name),
                   "leave it out, or give --engine bab without options of milp");
}

std::shared_ptr<const network::Network> searched(std::shared_ptr<const network::Network> network, bool certified) {
  return certified ? network : with_shared_units(std::move(network));
}

CertificateToWrite::CertificateToWrite(const std::string& file, const std::string& network_file,
                                       const std::shared_ptr<const network::Network>& network,
                                       const assembly::Engine& engine)
    : file_(file), engine_(engine) {
  if (file.empty()) return;
  expect_certifying(engine, "--certificate");
  certificate_.emplace(file, certificate::NetworkFile{network, certificate::sha256_of_file(network_file)});
}

verdict::Decide CertificateToWrite::decide() {
  if (!certificate_) return engine_.decide;
  return [this](const property::Query& query, const Limits& limits) {
    return engine_.decide_heard(query, limits, certificate_->listener());
  };
}

void CertificateToWrite::write(const verdict::Verdict& verdict) {
  if (!certificate_) return;
  try {
    const std::string why_not = certificate_->write(verdict);
    if (why_not.empty())
      written_ = file_;
    else
      say("plumb: note: no certificate was written: {}\n", why_not);
  } catch (...) {
    error_ = std::current_exception();
  }
}

void CertificateToWrite::add_to(Json& json) const {
  if (is_wanted()) json["certificate"] = written_ ? Json(*written_) : Json(nullptr);
}

void CertificateToWrite::rethrow() const {
  if (error_) std::rethrow_exception(error_);
}

}  // namespace plumb::cli
