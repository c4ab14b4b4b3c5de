// vnnlib.h: a question from a VNN-LIB file.
//
// In:  a property, VNN-LIB 1.0 or 2.0 (docs/vnnlib.md says what is accepted), plain or .gz, and the network it is
// about. Out: cases, each a region of inputs and an unsafe set of outputs. The property is satisfied ("sat") if the
// unsafe set
//      of some case is reached from its region. Boxes that share an output condition are one case; so are output
//      conditions that share their boxes.
//
// Sound:  numbers are exact decimals. A case has everything twice: `region` and `unsafe` are rounded outward, so that
//         what holds for them holds for the property; `inner_region` and `inner_unsafe` are rounded inward, so that a
//         witness in them satisfies the property exactly. An input that is fixed at a number that is no double is the
//         nearest double inside; a notice says how many. What is shown there says nothing yet about the number that is
//         meant, which lies between the sides of `region`.
// Errors: FileError if it cannot be read. DataError, with line and column, for text that is not understood; for inputs
//         without bounds, elements that do not exist, and a property that does not fit the network.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "network/network.h"
#include "property/region.h"
#include "property/unsafe_set.h"
#include "vnnlib/formula.h"

namespace plumb::vnnlib {

struct PropertyCase {
  property::Region region;
  property::UnsafeSet unsafe;
  // Part by part and inequality by inequality the same.
  property::Region inner_region;
  property::UnsafeSet inner_unsafe;
  // Of each part, the inputs for which the nearest double stands.
  std::vector<std::vector<std::int64_t>> nearest_inputs;
};

struct VnnlibProperty {
  // None if no input satisfies the assertions about inputs, or nothing can satisfy those about constants.
  std::vector<PropertyCase> cases;
  std::vector<std::string> notices;
};

vnnlib::Script read_vnnlib(const std::filesystem::path& path);

// The cases of what was read, for a network whose inputs and outputs are those declared, in order; hidden values are
// outputs after those of their network (vnnlib/declared_networks.h). `name` stands for the file in errors.
VnnlibProperty lower_vnnlib(const vnnlib::Script& script, const network::Network& network, const std::string& name);

// Both; from the text itself.
VnnlibProperty import_vnnlib(std::string_view text, const std::string& name, const network::Network& network);

}  // namespace plumb::vnnlib
