#include "dialogs/replaces.h"

#include <patchbay/text.h>

#include <algorithm>

#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

bool is_made_of(std::string_view text, std::string_view more) {
  return !text.empty() && text.size() <= kMaxHeaderFieldBytes &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_alphanumeric(c) || more.find(c) != std::string_view::npos; });
}

bool is_token(std::string_view text) { return is_made_of(text, "-.!%*_+`'~"); }

// word ["@" word] (RFC 3261 section 25.1), without the quote and the backslash.
bool is_call_id(std::string_view text) {
  constexpr std::string_view kWord = "-.!%*_+`'~()<>:/[]?{}";
  const size_t at = text.find('@');
  if (at == std::string_view::npos) return is_made_of(text, kWord);
  return is_made_of(text.substr(0, at), kWord) && is_made_of(text.substr(at + 1), kWord);
}

Error invalid() { return {Code::invalid, "Replaces must be callid;to-tag=...;from-tag=..., each once"}; }

}  // namespace

Result<Replaces> read_replaces(std::string_view value) {
  if (value.size() > kMaxReplacesBytes) return invalid();
  Replaces out;
  size_t end = value.find(';');
  out.call_id = trim(value.substr(0, end));
  if (!is_call_id(out.call_id)) return invalid();
  while (end != std::string_view::npos) {
    value.remove_prefix(end + 1);
    end = value.find(';');
    const std::string_view one = trim(value.substr(0, end));
    const size_t equals = one.find('=');
    const std::string_view name = trim(one.substr(0, equals));
    const bool has_value = equals != std::string_view::npos;
    const std::string_view given = has_value ? trim(one.substr(equals + 1)) : std::string_view();
    if (!is_token(name) || (has_value && !is_token(given))) return invalid();
    const bool is_to = equals_ignoring_case(name, "to-tag");
    if (is_to || equals_ignoring_case(name, "from-tag")) {
      std::string& tag = is_to ? out.to_tag : out.from_tag;
      if (!tag.empty() || !has_value) return invalid();
      tag = given;
    } else if (equals_ignoring_case(name, "early-only")) {
      if (has_value) return invalid();
      out.early_only = true;
    }
  }
  if (out.to_tag.empty() || out.from_tag.empty()) return invalid();
  return out;
}

std::string text_of(const Replaces& replaces) {
  return replaces.call_id + ";to-tag=" + replaces.to_tag + ";from-tag=" + replaces.from_tag +
         (replaces.early_only ? ";early-only" : "");
}

}  // namespace patchbay::sip_trunk
