#include "text/escape_html.h"

namespace patchbay::lib {
namespace {

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    case '\'':
      out += "&#39;";
      break;
    case '\t':
    case '\n':
      out += c;
      break;
    default: {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || byte == 0x7F)
        out += "\xEF\xBF\xBD";
      else
        out += c;
    }
  }
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (const char c : text) append_escaped(out, c);
  return out;
}

}  // namespace patchbay::lib
