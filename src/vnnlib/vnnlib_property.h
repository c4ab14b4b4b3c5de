// vnnlib_property.h: reads a property from a VNN-LIB file.
//
// In:  a property, VNN-LIB 1.0 or 2.0 (docs/vnnlib.md says what is accepted), plain or .gz, and the network that it is
//      about.
// Out: cases, each with a region and an unsafe set. The property is satisfied ("sat") if, in some case, a point of the
//      region is unsafe. Boxes that share an output condition are one case; so are output conditions that share their
//      boxes.
//
// Sound:  numbers are exact decimals. A case has everything in two forms. `region` and `unsafe` are rounded outward, so
//         that what holds for them holds for the property. `inner_region` and `inner_unsafe` are rounded inward, so
//         that a witness in them satisfies the property exactly. There is one exception: an input that is fixed at a
//         number that is not a double has the nearest double in `inner_region`, and a notice says how many such inputs
//         there are. A witness with this double proves nothing yet about the number that is meant, which lies between
//         the bounds of `region`.
// Errors: FileError if the file cannot be read. DataError, with line and column, for text that cannot be parsed;
//         DataError for inputs without bounds, elements that do not exist, and a property that does not fit the
//         network.
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
  // The same parts and inequalities in the same order, rounded inward.
  property::Region inner_region;
  property::UnsafeSet inner_unsafe;
  // For each part, the inputs that have the nearest double in `inner_region`.
  std::vector<std::vector<std::int64_t>> nearest_inputs;
};

struct VnnlibProperty {
  // Empty if no input satisfies the assertions about inputs, or if comparisons of constants rule out everything.
  std::vector<PropertyCase> cases;
  std::vector<std::string> notices;
};

vnnlib::Script read_vnnlib(const std::filesystem::path& path);

// Turns a parsed property into cases. The network must have the declared inputs and outputs, in order; hidden values
// are outputs after those of their network (vnnlib/declared_networks.h). `name` stands for the file in errors.
VnnlibProperty lower_vnnlib(const vnnlib::Script& script, const network::Network& network, const std::string& name);

// Parses the text of a property and turns it into cases.
VnnlibProperty import_vnnlib(std::string_view text, const std::string& name, const network::Network& network);

}  // namespace plumb::vnnlib
