// exact_number.h: numbers as users and files write them, exactly; and the doubles around them.
//
// 0.1 and 8/255 are no doubles. Whoever needs a double rounds in the direction that is safe there.
#pragma once

#include <gmpxx.h>

#include <optional>
#include <string_view>

namespace checker {

// "12", "-0.1", "+.5e-3". Nothing if the text is no decimal number, or one of thousands of digits.
std::optional<mpq_class> decimal(std::string_view text);
// A decimal, or a quotient of two: "8/255". Throws BadFile, which quotes the text.
mpq_class exact_number(std::string_view text);
mpq_class power_of_ten(int exponent);

// The largest double that is not above, and the smallest that is not below. Both throw BadFile if there is none.
double round_down(const mpq_class& number);
double round_up(const mpq_class& number);
bool is_double(const mpq_class& number);

// The nearest; of two that are equally near, the one whose last bit is 0.
float nearest_float(const mpq_class& number);
double nearest_double(const mpq_class& number);

}  // namespace checker
