// data_set.h: samples and their labels, as `plumb --data` names and reads them (docs/commands.md): mnist:DIR,
// cifar10:DIR, csv:FILE and npy:X,Y.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "network.h"

namespace checker {

struct DataSet {
  std::string name;
  Shape shape;  // of a sample
  bool channels_last = false;
  mpq_class scale = 1;                // the factor of the stored numbers
  std::size_t width = 1;              // of a stored number: 1 for bytes, 4 for floats, 8 for doubles
  std::size_t first = 0, stride = 0;  // sample k begins at the byte first + k stride
  std::string bytes;                  // lowest byte first
  std::vector<std::int64_t> labels;

  // Sample k, in the order in which an input of this shape takes it. A number is rounded once: to the nearest float, or
  // to the nearest double if doubles are stored. Throws BadFile if there is no such sample or it does not fit.
  std::vector<double> sample(std::int64_t k, const Shape& wanted) const;
  std::int64_t label(std::int64_t k) const;
};

// `scale` is 1/255 for bytes and 1 for other numbers, unless it is given.
DataSet read_data_set(const std::string& specification, const std::optional<mpq_class>& scale, bool channels_last);

}  // namespace checker
