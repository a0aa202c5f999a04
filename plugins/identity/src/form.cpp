#include "form.h"

#include <patchbay/hex.h>
#include <patchbay/percent_encoding.h>
#include <patchbay/text.h>

#include <optional>

#include "identity_limits.h"

namespace patchbay::identity {
namespace {

std::optional<std::string> decode(std::string_view text) {
  auto decoded = percent_decode(text, true);
  if (decoded && decoded->find('\0') != std::string::npos) return std::nullopt;
  return decoded;
}

}  // namespace

Result<Form> Form::parse(std::string_view body) {
  if (body.size() > kMaxFormBytes) return {Code::invalid, "the form is longer than 16 KiB"};
  Form form;
  while (!body.empty()) {
    std::string_view field = take_until('&', body);
    if (field.empty()) continue;
    auto name = decode(take_until('=', field));
    auto value = decode(field);
    if (!name || !value) return {Code::invalid, "the form has a broken escape"};
    if (!form.fields_.emplace(*std::move(name), *std::move(value)).second)
      return {Code::invalid, "a field of the form is repeated"};
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
