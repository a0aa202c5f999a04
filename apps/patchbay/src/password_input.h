// Reads a password, so that it never stands in the arguments, which other users of the machine can read.
#pragma once

#include <patchbay/result.h>

#include <string>

namespace patchbay::app {

// On a terminal: asks for it twice, without echo. Otherwise: the first line of stdin. Error: it is empty, or
// the two differ.
Result<std::string> read_password(const std::string& whose);

}  // namespace patchbay::app
