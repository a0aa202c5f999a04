#include "audit_value.h"

#include <patchbay/json.h>
#include <patchbay/text.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "audit_limits.h"

namespace patchbay::rest_api {
namespace {

constexpr char kRemoved[] = "(secret)";

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool names_secret(std::string_view name) {
  constexpr std::array<std::string_view, 4> kEnds = {"secret", "password", "token", "apikey"};
  constexpr std::array<std::string_view, 3> kNames = {"key", "authorization", "credential"};
  const std::string lower = to_lower(name);
  return std::any_of(kEnds.begin(), kEnds.end(), [&](auto end) { return ends_with(lower, end); }) ||
         std::find(kNames.begin(), kNames.end(), lower) != kNames.end();
}

// Writes the value without secrets. The parser has bounded its depth.
void write(JsonWriter& out, const Host& host, JsonView value) {
  if (value.is_array()) {
    out.array();
    for (size_t i = 0; i < value.size(); ++i) write(out, host, value.at(i));
    out.end();
  } else if (value.is_object()) {
    out.object();
    for (size_t i = 0; i < value.size(); ++i) {
      out.key(value.key(i));
      if (value.at(i).is_string() && names_secret(value.key(i)))
        out.value(kRemoved);
      else
        write(out, host, value.at(i));
    }
    out.end();
  } else {
    out.raw(host.write_json(value));
  }
}

}  // namespace

Result<std::string> audit_value(const Host& host, const std::string& json) {
  PB_TRY_VALUE(const Json doc, host.parse_json(json));
  JsonWriter out;
  if (json.size() > kMaxAuditValueBytes)
    out.object().member("omitted", true).member("bytes", json.size()).end();
  else
    write(out, host, doc.root());
  return std::move(out).str();
}

}  // namespace patchbay::rest_api
