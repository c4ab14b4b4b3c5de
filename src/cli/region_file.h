// region_file.h: a region or a property in a file, instead of samples, for the commands that take either.
//
// A file is a VNN-LIB property (docs/vnnlib.md) if its name ends in .vnnlib or .vnnlib.gz, or if its text begins with
// '(' or ';'. Otherwise it is a box, one line LO,HI per input (vnnlib/box_file.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/common_options.h"
#include "cli/normalisation_arguments.h"
#include "cli/sample_questions.h"
#include "vnnlib/vnnlib_property.h"

namespace plumb::cli {

inline constexpr const char* kProperty = "PROPERTY";
inline constexpr const char* kRegion = "REGION";

struct RegionFile {
  std::string path;                   // empty means none
  std::vector<std::string> networks;  // NAME=NET, for a property of several networks

  bool is_given() const { return !path.empty(); }
};
// Adds the file as a positional argument with this placeholder, PROPERTY or REGION, and --network.
void add_region_file(Command& command, RegionFile& file, const char* placeholder, const char* description);

// Whether a command is about a file. Throws UsageError if it is also about samples, or about neither. `region` holds
// the options for regions around samples; nullptr means that there are none. `command` is the command's name.
bool is_about_file(const RegionFile& file, const QuestionArguments& question, const RegionArguments* region,
                   const char* command, const char* placeholder);

struct FileQuestion {
  std::string network;
  RegionFile file;
  // The file is about inputs before normalisation.
  NormalisationArguments normalisation;
  OutputOptions output;
};
FileQuestion file_question(const QuestionArguments& question, const RegionFile& file);

struct LoadedProperty : NormalisedNetwork {
  vnnlib::Script script = {};
  vnnlib::VnnlibProperty property = {};
};

// Reads the property and its networks, and prints notices unless quiet. A box is a DataError: it says nothing about
// outputs. Throws ArgumentError if the normalisation does not fit the network, UsageError if there are several.
LoadedProperty load_property(const FileQuestion& question);
// The same without conditions on outputs, which a notice says: there is at most one case, and what it calls unsafe
// means nothing. The file may be a box.
LoadedProperty load_region(const FileQuestion& question);

// Prints "what: 0.1 0.2 ...", the first ten numbers.
void print_numbers(const std::string& what, const std::vector<double>& numbers);

}  // namespace plumb::cli
