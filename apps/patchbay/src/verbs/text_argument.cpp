#include "verbs/text_argument.h"

#include <fstream>
#include <sstream>

namespace patchbay::app {

Result<std::string> read_text_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return {Code::invalid, "cannot read " + path};
  std::string read = text.str();
  while (!read.empty() && read.back() == '\n') read.pop_back();
  return read;
}

Result<std::string> text_or_file(const std::string& argument) {
  if (argument.empty() || argument.front() != '@') return argument;
  return read_text_file(argument.substr(1));
}

}  // namespace patchbay::app
