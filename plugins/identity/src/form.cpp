#include "form.h"

#include <patchbay/hex.h>
#include <patchbay/percent_encoding.h>
#include <patchbay/text.h>
#include <patchbay/utf8.h>

#include <algorithm>

#include "identity_limits.h"

namespace patchbay::identity {
namespace {

// A field's name in messages. Another one is not repeated: it may be any text, and no field of ours.
bool is_plain(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNamedField && std::all_of(name.begin(), name.end(), [](char c) {
    return is_alphanumeric(c) || c == '_' || c == '-';
  });
}

Error wrong(std::string_view name, const char* problem) {
  return {Code::invalid, (is_plain(name) ? std::string(name) : "a field of the form") + " " + problem};
}

// `name` is that of the field whose name or value this is, for the error.
Result<std::string> decode(std::string_view text, std::string_view name) {
  auto decoded = percent_decode(text, true);
  if (!decoded) return wrong(name, "must have two hex digits after each percent sign, for example %20");
  if (decoded->find('\0') != std::string::npos) return wrong(name, "must not hold the character U+0000");
  if (!is_utf8(*decoded)) return wrong(name, "must be UTF-8, for example %C3%A4 for the letter U+00E4");
  return *std::move(decoded);
}

}  // namespace

Result<Form> Form::parse(std::string_view body) {
  if (body.size() > kMaxFormBytes) return {Code::invalid, "the form is longer than 16 KiB"};
  Form form;
  while (!body.empty()) {
    std::string_view field = take_until('&', body);
    if (field.empty()) continue;
    PB_TRY_VALUE(const std::string name, decode(take_until('=', field), {}));
    PB_TRY_VALUE(std::string value, decode(field, name));
    if (!form.fields_.emplace(name, std::move(value)).second) return wrong(name, "must be given once only");
    if (form.fields_.size() > kMaxFormFields) return {Code::invalid, "the form has more than 64 fields"};
  }
  return form;
}

Form Form::of(const NameValues& values) {
  Form form;
  for (const auto& [name, value] : values) form.fields_.emplace(name, value);
  return form;
}

const std::string& Form::operator[](std::string_view name) const {
  static const std::string kAbsent;
  const auto found = fields_.find(name);
  return found == fields_.end() ? kAbsent : found->second;
}

}  // namespace patchbay::identity
