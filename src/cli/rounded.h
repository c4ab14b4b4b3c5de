// rounded.h: numbers that were proven as ends of an interval, written so that they stay ends of it.
//
// What is written is a decimal. A lower end's decimal is never above the number, an upper end's never below.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace plumb::cli {

// With so many digits, 1 to 15, without zeros at the end. Infinite numbers are written "-".
std::string lower_text(double x, int digits);
std::string upper_text(double x, int digits);

// Null if infinite.
nlohmann::ordered_json lower_json(double x);
nlohmann::ordered_json upper_json(double x);

// The mean of several such ends.
class MeanOfEnds {
 public:
  void add(double lower, double upper);
  double lower() const;
  double upper() const;

 private:
  double lower_ = 0, upper_ = 0, count_ = 0;
};

}  // namespace plumb::cli
