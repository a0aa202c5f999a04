#include "text/json_text.h"

#include <cstdio>

#include "text/utf8.h"

namespace patchbay::lib {

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    size_t length = utf8_sequence(text);
    auto first = static_cast<unsigned char>(text[0]);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      length = 1;
    } else if (first == '"' || first == '\\') {
      out += '\\';
      out += text[0];
    } else if (first < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(first));
      out += escape;
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  out += '"';
}

}  // namespace patchbay::lib
