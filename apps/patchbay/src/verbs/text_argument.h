// Arguments of verbs whose text may be in a file.
#pragma once

#include <patchbay/result.h>

#include <string>

namespace patchbay::app {

// The file's text without line ends at its end. Error: it cannot be read.
Result<std::string> read_text_file(const std::string& path);

// Of "@FILE" the file's text, otherwise the argument itself.
Result<std::string> text_or_file(const std::string& argument);

}  // namespace patchbay::app
