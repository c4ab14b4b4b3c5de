// rounded.h: writes proven ends of an interval as decimals, rounded outward.
//
// The decimal of a lower end is never above the number, that of an upper end never below.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace plumb::cli {

// With this many digits, 1 to 15, without trailing zeros. Infinite numbers are written "-".
std::string lower_text(double x, int digits);
std::string upper_text(double x, int digits);

// Return null if the number is infinite.
nlohmann::ordered_json lower_json(double x);
nlohmann::ordered_json upper_json(double x);

// The mean of several intervals, rounded outward.
class MeanOfEnds {
 public:
  void add(double lower, double upper);
  // Infinite if nothing was added.
  double lower() const;
  double upper() const;

 private:
  double lower_ = 0, upper_ = 0, count_ = 0;
};

}  // namespace plumb::cli
