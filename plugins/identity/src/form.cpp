#include "form.h"

#include <optional>

#include "crypto/encode.h"

namespace patchbay::identity {
namespace {

constexpr size_t kMaxFields = 64;

std::optional<std::string> decode(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      const auto byte = lib::from_hex(text.substr(i + 1, 2));
      if (!byte || byte->size() != 1) return std::nullopt;
      out += *byte;
      i += 2;
    }
  }
  if (out.find('\0') != std::string::npos) return std::nullopt;
  return out;
}

}  // namespace

Result<Form> Form::parse(std::string_view body) {
  if (body.size() > kMaxBodyBytes) return {Code::invalid, "the form is longer than 16 KiB"};
  Form form;
  while (!body.empty()) {
    const std::string_view field = body.substr(0, body.find('&'));
    body.remove_prefix(std::min(body.size(), field.size() + 1));
    if (field.empty()) continue;
    const size_t equals = std::min(field.find('='), field.size());
    auto name = decode(field.substr(0, equals));
    auto value = decode(field.substr(std::min(equals + 1, field.size())));
    if (!name || !value) return {Code::invalid, "the form has a broken escape"};
    if (!form.fields_.emplace(*std::move(name), *std::move(value)).second)
      return {Code::invalid, "a field of the form is repeated"};
    if (form.fields_.size() > kMaxFields) return {Code::invalid, "the form has more than 64 fields"};
  }
  return form;
}

const std::string& Form::operator[](std::string_view name) const {
  static const std::string kAbsent;
  const auto found = fields_.find(name);
  return found == fields_.end() ? kAbsent : found->second;
}

}  // namespace patchbay::identity
