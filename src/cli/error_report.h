// error_report.h: errors as users of the command line meet them: flags instead of arguments, and exit codes.
#pragma once

#include <string>

#include "base/error.h"

namespace plumb::cli {

// The message and, on lines of their own, the remedy. Arguments appear as the flags that set them.
std::string error_text(const Error& error);

int exit_code(ErrorKind kind);

}  // namespace plumb::cli
