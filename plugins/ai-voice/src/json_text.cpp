#include "json_text.h"

#include <cmath>
#include <cstdio>

#include "websocket/text.h"

namespace patchbay::ai_voice {

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    size_t length = lib::utf8_sequence(text);
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

void append_json(std::string& out, JsonView value) {
  if (value.is_string()) {
    append_json_string(out, value.string());
  } else if (value.is_bool()) {
    out += value.boolean() ? "true" : "false";
  } else if (value.is_integer()) {
    out += std::to_string(value.integer());
  } else if (value.is_number()) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value.number());
    out += std::isfinite(value.number()) ? text : "null";
  } else if (value.is_array()) {
    out += '[';
    for (uint32_t i = 0; i < value.size(); ++i) {
      if (i > 0) out += ',';
      append_json(out, value.at(i));
    }
    out += ']';
  } else if (value.is_object()) {
    out += '{';
    for (uint32_t i = 0; i < value.size(); ++i) {
      auto [key, member] = value.member(i);
      if (i > 0) out += ',';
      append_json_string(out, key);
      out += ':';
      append_json(out, member);
    }
    out += '}';
  } else {
    out += "null";
  }
}

}  // namespace patchbay::ai_voice
