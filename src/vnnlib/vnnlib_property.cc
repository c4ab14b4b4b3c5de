#include "vnnlib/vnnlib_property.h"

#include "base/file.h"
#include "vnnlib/parser.h"

namespace plumb::vnnlib {

vnnlib::Script read_vnnlib(const std::filesystem::path& path) { return vnnlib::parse(read_file(path), path.string()); }

VnnlibProperty import_vnnlib(std::string_view text, const std::string& name, const network::Network& network) {
  return lower_vnnlib(vnnlib::parse(text, name), network, name);
}

}  // namespace plumb::vnnlib
