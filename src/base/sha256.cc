#include "base/sha256.h"

#include <array>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "base/error.h"

namespace plumb {
namespace {

constexpr std::size_t kBlock = 4096;

void require(int success) {
  if (success != 1) throw UnavailableError("SHA-256", "OpenSSL does not provide it", "check OpenSSL's configuration");
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  require(context_ != nullptr ? EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) : 0);
  waiting_.reserve(kBlock + sizeof(std::int64_t));
}

void Sha256::hash_waiting() {
  require(EVP_DigestUpdate(context_.get(), waiting_.data(), waiting_.size()));
  waiting_.clear();
}

void Sha256::add(std::uint8_t byte) {
  waiting_.push_back(static_cast<char>(byte));
  if (waiting_.size() >= kBlock) hash_waiting();
}

void Sha256::add(std::int64_t number) {
  std::array<char, sizeof(number)> bytes{};
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    bytes[k] = static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * k) & 255U);
  }
  waiting_.append(bytes.data(), bytes.size());
  if (waiting_.size() >= kBlock) hash_waiting();
}

void Sha256::add(std::string_view text) { add_bytes(text.data(), text.size()); }

void Sha256::add_bytes(const void* bytes, std::size_t count) {
  if (waiting_.size() + count < kBlock) {
    waiting_.append(static_cast<const char*>(bytes), count);
    return;
  }
  hash_waiting();
  require(EVP_DigestUpdate(context_.get(), bytes, count));
}

std::string Sha256::digits() {
  hash_waiting();
  std::array<unsigned char, 32> hash{};
  require(EVP_DigestFinal_ex(context_.get(), hash.data(), nullptr));
  std::string digits;
  for (const unsigned char byte : hash) digits += fmt::format("{:02x}", byte);
  return digits;
}

}  // namespace plumb
