#include "handler_request.h"

#include <patchbay/utf8.h>

#include <map>
#include <string>

namespace patchbay::rest_api {
namespace {

std::string utf8(std::string_view value) {
  if (is_utf8(value)) return std::string(value);
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

NameValues name_values(const StringPairs& values) {
  NameValues all;
  for (const auto& [name, value] : values) all.add(name, value);
  return all;
}

NameValues header_values(const std::vector<Field>& fields) {
  std::map<std::string_view, std::string> joined;
  for (const auto& [name, value] : fields) {
    const auto [at, fresh] = joined.try_emplace(name, utf8(value));
    if (!fresh) at->second.append(name == "cookie" ? "; " : ", ").append(utf8(value));
  }
  NameValues all;
  for (const auto& [name, value] : joined) all.add(name, value);
  return all;
}

const char* listener_role_name(ListenerRole role) noexcept {
  if (role == kLocal) return "local";
  return role == kManagement ? "management" : "public";
}

}  // namespace patchbay::rest_api
