#include "json/writer.h"

#include <charconv>
#include <cmath>

#include "json/text.h"

namespace patchbay::core::json {
namespace {

const char* short_escape(char c) noexcept {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '\b':
      return "\\b";
    case '\f':
      return "\\f";
    default:
      return nullptr;
  }
}

void append_control(std::string& out, char c) {
  constexpr char kHex[] = "0123456789abcdef";
  out += "\\u00";
  out += kHex[static_cast<unsigned char>(c) >> 4];
  out += kHex[c & 0x0F];
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    const uint32_t code = next_code_point(text, at);
    if (code == kInvalid)
      out += "\xEF\xBF\xBD";
    else if (code >= 0x80)
      out += text.substr(start, at - start);
    else if (const char* escape = short_escape(static_cast<char>(code)))
      out += escape;
    else if (code < 0x20)
      append_control(out, static_cast<char>(code));
    else
      out += static_cast<char>(code);
  }
  out += '"';
}

void Writer::separate() {
  if (comma_) out_ += ',';
  comma_ = true;
}

Writer& Writer::open(char bracket) {
  separate();
  out_ += bracket;
  comma_ = false;
  return *this;
}

Writer& Writer::close(char bracket) {
  out_ += bracket;
  comma_ = true;
  return *this;
}

Writer& Writer::key(std::string_view name) {
  separate();
  append_quoted(out_, name);
  out_ += ':';
  comma_ = false;
  return *this;
}

Writer& Writer::null() { return raw("null"); }

Writer& Writer::value(bool value) { return raw(value ? "true" : "false"); }

Writer& Writer::integer(int64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return raw({digits, static_cast<size_t>(end - digits)});
}

Writer& Writer::value(double number) {
  if (!std::isfinite(number)) return null();
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return raw({digits, static_cast<size_t>(end - digits)});
}

Writer& Writer::value(std::string_view text) {
  separate();
  append_quoted(out_, text);
  return *this;
}

Writer& Writer::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

Writer& Writer::value(const Node& node) {
  switch (node.type()) {
    case Type::null:
      return null();
    case Type::boolean:
      return value(node.boolean());
    case Type::number:
      return node.is_integer() ? integer(node.integer()) : value(node.number());
    case Type::string:
      return value(node.string());
    case Type::array:
      begin_array();
      for (uint32_t i = 0; i < node.size(); ++i) value(*node.element(i));
      return end_array();
    case Type::object:
      begin_object();
      for (uint32_t i = 0; i < node.size(); ++i) key(node.member(i)->key).value(node.member(i)->value);
      return end_object();
  }
  return *this;
}

std::string write(const Node& node) {
  Writer writer;
  writer.value(node);
  return writer.take();
}

}  // namespace patchbay::core::json
