#include "dialogs/refer_to.h"

#include <patchbay/percent_encoding.h>
#include <patchbay/text.h>

#include <algorithm>
#include <utility>

#include "number/number.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

constexpr auto kNone = std::string_view::npos;

Error bad_refer_to(const char* why) { return {Code::invalid, std::string("Refer-To: ") + why}; }

// The URI in <...>, after a display name if any, or the whole value without its parameters.
std::optional<std::string_view> uri_in(std::string_view value) {
  const size_t open = value.find('<');
  if (open == kNone) return trim(value.substr(0, value.find(';')));
  const size_t close = value.find('>', open);
  if (close == kNone || value.find('<', open + 1) != kNone || value.find('>', close + 1) != kNone)
    return std::nullopt;
  const std::string_view rest = trim(value.substr(close + 1));
  if (!rest.empty() && rest.front() != ';') return std::nullopt;  // a second URI
  return value.substr(open + 1, close - open - 1);
}

bool is_method_invite(std::string_view parameters) {
  while (!parameters.empty()) {
    const size_t end = parameters.find(';');
    const std::string_view one = parameters.substr(0, end);
    parameters = end != kNone ? parameters.substr(end + 1) : std::string_view();
    const size_t equals = one.find('=');
    const auto name = percent_decode(one.substr(0, equals));
    if (!name || !equals_ignoring_case(*name, "method")) continue;
    if (equals == kNone || one.substr(equals + 1) != "INVITE") return false;
  }
  return true;
}

// The Replaces among the headers of a URI.
Result<std::optional<Replaces>> replaces_in(std::string_view headers) {
  std::optional<Replaces> found;
  while (!headers.empty()) {
    const size_t end = headers.find('&');
    const std::string_view one = headers.substr(0, end);
    headers = end != kNone ? headers.substr(end + 1) : std::string_view();
    const size_t equals = one.find('=');
    const auto name = percent_decode(one.substr(0, equals));
    if (!name) return bad_refer_to("a broken escape");
    if (!equals_ignoring_case(*name, "Replaces")) continue;
    const auto value = equals != kNone ? percent_decode(one.substr(equals + 1)) : std::nullopt;
    if (!value || found) return bad_refer_to("Replaces must be there once, with a value");
    PB_TRY_VALUE(found, read_replaces(*value));
  }
  return found;
}

}  // namespace

Result<ReferTarget> read_refer_to(std::string_view value) {
  const bool is_printable =
      std::all_of(value.begin(), value.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
  if (!is_printable || value.size() > kMaxReferToBytes) return bad_refer_to("not printable, or too long");
  const auto uri = uri_in(value);
  if (!uri) return bad_refer_to("must be one URI");
  const size_t colon = uri->find(':');
  if (colon == kNone) return bad_refer_to("must be a URI");
  const std::string_view scheme = uri->substr(0, colon);
  std::string_view rest = uri->substr(colon + 1);
  const bool is_tel = equals_ignoring_case(scheme, "tel");
  if (!is_tel && !equals_ignoring_case(scheme, "sip") && !equals_ignoring_case(scheme, "sips"))
    return bad_refer_to("the scheme must be sip, sips or tel");
  std::string_view headers;
  if (const size_t question = rest.find('?'); question != kNone) {
    headers = rest.substr(question + 1);
    rest = rest.substr(0, question);
  }
  std::string_view user = rest, parameters;
  if (!is_tel) {
    const size_t at = rest.find('@');
    if (at == kNone || rest.find('@', at + 1) != kNone) return bad_refer_to("must be user@host");
    user = rest.substr(0, at);
    const std::string_view host = rest.substr(at + 1);
    if (const size_t end = host.find(';'); end != kNone) parameters = host.substr(end + 1);
  }
  // ";phone-context=", a password and the like would make another number of it.
  if (user.find_first_of(";:") != kNone) return bad_refer_to("the user must be a number alone");
  if (!is_method_invite(parameters)) return {Code::denied, "Refer-To: the method must be INVITE"};
  ReferTarget out;
  const auto decoded = percent_decode(user);
  if (!decoded) return bad_refer_to("a broken escape");
  PB_TRY_VALUE(out.number, lib::normalise_number(*decoded));
  PB_TRY_VALUE(out.replaces, replaces_in(headers));
  return out;
}

}  // namespace patchbay::sip_trunk
