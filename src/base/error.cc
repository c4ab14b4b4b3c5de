#include "base/error.h"

#include <utility>

namespace plumb {
namespace {

// Stands before and after the name of an argument. No text for people contains it.
constexpr char kMark = '\x1f';

// Replaces marked names by what `shown` returns for them.
std::string unmarked(const std::string& text, const ShownName& shown) {
  std::string result;
  std::size_t at = 0;
  while (true) {
    const std::size_t begin = text.find(kMark, at);
    const std::size_t end = begin == std::string::npos ? begin : text.find(kMark, begin + 1);
    if (end == std::string::npos) return result + text.substr(at);
    result += text.substr(at, begin - at) + shown(text.substr(begin + 1, end - begin - 1));
    at = end + 1;
  }
}

std::string in_library_terms(const std::string& text) {
  return unmarked(text, [](const std::string& name) { return name; });
}

}  // namespace

std::string argument(std::string_view name) { return kMark + std::string(name) + kMark; }

Error::Error(ErrorKind kind, std::string where, std::string problem, std::string remedy)
    : kind_(kind),
      marked_message_(in_library_terms(where).empty() ? problem : where + ": " + problem),
      marked_remedy_(std::move(remedy)),
      where_(in_library_terms(where)),
      problem_(in_library_terms(problem)),
      remedy_(in_library_terms(marked_remedy_)),
      message_(in_library_terms(marked_message_)) {}

std::string Error::report(const ShownName& shown) const {
  const std::string message = unmarked(marked_message_, shown);
  return remedy_.empty() ? message : message + "\n" + unmarked(marked_remedy_, shown);
}

}  // namespace plumb
