#include "json/writer.h"

#include <patchbay/json_string.h>

#include <charconv>
#include <cmath>

namespace patchbay::core::json {

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
  append_json_string(out_, name);
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
  append_json_string(out_, text);
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
