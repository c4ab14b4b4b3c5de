// sha256.h: SHA-256 of numbers, fed one after the other.
//
// Numbers are fed as their 64 bits, lowest byte first, on every machine. add_list() feeds the length of a list before
// its elements, so that different sequences of lists never feed the same bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // OpenSSL's EVP_MD_CTX

namespace plumb {

class Sha256 {
 public:
  Sha256();

  void add(std::uint8_t byte);
  void add(std::int64_t number);
  void add(double number) { add(std::bit_cast<std::int64_t>(number)); }
  void add(std::string_view text);

  template <std::ranges::sized_range Numbers>
  void add_list(const Numbers& numbers) {
    add(static_cast<std::int64_t>(std::ranges::size(numbers)));
    for (const auto number : numbers) {
      if constexpr (std::is_floating_point_v<decltype(+number)>) {
        add(static_cast<double>(number));
      } else {
        add(static_cast<std::int64_t>(number));
      }
    }
  }

  // The hash as 64 hexadecimal digits. Call once, at the end.
  std::string digits();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };

  void hash_waiting();

  std::unique_ptr<evp_md_ctx_st, Free> context_;
  std::string waiting_;  // hashed in blocks: one call per number would cost more than its hash
};

}  // namespace plumb
