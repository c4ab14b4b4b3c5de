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
#include <type_traits>

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
    using Number = std::ranges::range_value_t<Numbers>;
    add(static_cast<std::int64_t>(std::ranges::size(numbers)));
    if constexpr (std::endian::native == std::endian::little && sizeof(Number) == sizeof(std::int64_t) &&
                  std::ranges::contiguous_range<Numbers>) {
      // Their bytes lie in memory as they are fed.
      add_bytes(std::ranges::data(numbers), std::ranges::size(numbers) * sizeof(Number));
    } else {
      for (const Number number : numbers) {
        if constexpr (std::is_floating_point_v<Number>) {
          add(static_cast<double>(number));
        } else {
          add(static_cast<std::int64_t>(number));
        }
      }
    }
  }

  // The hash as 64 hexadecimal digits. Call once, at the end.
  std::string digits();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };

  void add_bytes(const void* bytes, std::size_t count);
  void hash_waiting();

  std::unique_ptr<evp_md_ctx_st, Free> context_;
  std::string waiting_;  // hashed in blocks: one call per number would cost more than its hash
};

}  // namespace plumb
