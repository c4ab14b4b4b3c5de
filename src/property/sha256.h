// sha256.h: SHA-256 (FIPS 180-4) of numbers, fed one after the other.
//
// Numbers are fed as their 64 bits, lowest byte first, on every machine. A list is fed with its length before it, so
// that no two different sequences of lists are the same bytes.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <ranges>
#include <string>
#include <string_view>

namespace plumb {

class Sha256 {
 public:
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

  // 64 hexadecimal digits. Call once, at the end.
  std::string digits();

 private:
  void compress();

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> block_{};
  std::uint64_t bytes_ = 0;
};

}  // namespace plumb
