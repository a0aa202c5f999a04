#include "request_text.h"

#include <patchbay/json.h>

#include <map>

namespace patchbay::rest_api {
namespace {

std::string utf8(std::string_view value) {
  if (is_valid_utf8(value)) return std::string(value);
  std::string out;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out += c;
    } else {
      out += static_cast<char>(0xc0 | (byte >> 6));
      out += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return out;
}

}  // namespace

std::string object_text(const NamedValues& values) {
  JsonWriter object;
  object.object();
  for (const auto& [name, value] : values) object.member(name, value);
  object.end();
  return std::move(object).str();
}

std::string headers_text(const std::vector<Field>& fields) {
  std::map<std::string_view, std::string> joined;
  for (const auto& [name, value] : fields) {
    const auto [at, fresh] = joined.try_emplace(name, utf8(value));
    if (!fresh) at->second.append(name == "cookie" ? "; " : ", ").append(utf8(value));
  }
  JsonWriter object;
  object.object();
  for (const auto& [name, value] : joined) object.member(name, value);
  object.end();
  return std::move(object).str();
}

const char* surface_name(Surface surface) noexcept {
  if (surface == kLocal) return "local";
  return surface == kManagement ? "management" : "public";
}

}  // namespace patchbay::rest_api
