// Writes compact JSON that every parser accepts: bytes that are not UTF-8 become U+FFFD, NaN and infinities
// become null. Not thread-safe. The caller must end each array and object and give a key before each member.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "json/document.h"

namespace patchbay::core::json {

class Writer {
 public:
  Writer& begin_object() { return open('{'); }
  Writer& end_object() { return close('}'); }
  Writer& begin_array() { return open('['); }
  Writer& end_array() { return close(']'); }
  Writer& key(std::string_view name);
  Writer& null();
  Writer& value(bool value);
  template <std::integral I>
  Writer& value(I number) {
    return integer(static_cast<int64_t>(number));
  }
  Writer& value(double number);
  Writer& value(std::string_view text);
  Writer& value(const char* text) { return value(std::string_view(text)); }
  Writer& value(const Node& node);
  Writer& raw(std::string_view json);  // appends JSON unchanged

  template <class T>
  Writer& member(std::string_view name, const T& what) {
    return key(name).value(what);
  }

  const std::string& text() const noexcept { return out_; }
  std::string take() { return std::move(out_); }

 private:
  Writer& open(char bracket);
  Writer& close(char bracket);
  Writer& integer(int64_t number);
  void separate();

  std::string out_;
  bool comma_ = false;  // the next value needs a comma before it
};

std::string write(const Node& node);

}  // namespace patchbay::core::json
