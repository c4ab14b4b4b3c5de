// exact_number.h: lists and numbers as users and files write them, and the doubles around exact numbers.
//
// 0.1 and 8/255 are no doubles. Whoever needs a double rounds in the direction that is safe there.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace checker {

// The parts between separators, without the blanks around them.
std::vector<std::string_view> split(std::string_view text, char separator);

// These throw BadFile, which quotes the text, if it is not such a number. An exact number is a decimal or a quotient of
// two: "12", "-.5e-3", "8/255".
std::int64_t natural(std::string_view text);
mpq_class exact_number(std::string_view text);
// Nothing if the text is no decimal number, or one of thousands of digits.
std::optional<mpq_class> decimal(std::string_view text);
mpq_class power_of_ten(int exponent);

// The largest double that is not above, the smallest that is not below. Both throw BadFile if there is none.
double round_down(const mpq_class& number);
double round_up(const mpq_class& number);
bool is_double(const mpq_class& number);
// The nearest; of two that are equally near, the one whose last bit is 0.
float nearest_float(const mpq_class& number);
double nearest_double(const mpq_class& number);

}  // namespace checker
