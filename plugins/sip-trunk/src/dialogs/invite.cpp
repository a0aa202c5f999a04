#include "dialogs/invite.h"

#include <patchbay/percent_encoding.h>
#include <patchbay/random_id.h>
#include <patchbay/text.h>
#include <patchbay/utf8.h>

#include <algorithm>

#include "number/number.h"
#include "rtp/address.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

bool consists_of(std::string_view text, std::string_view more) {
  return !text.empty() && text.size() <= kMaxHeaderFieldBytes &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_alphanumeric(c) || more.find(c) != std::string_view::npos; });
}

// Returns a host in URI form; empty if it is not a valid host.
std::string uri_host(const std::string& host) {
  const auto address = lib::SocketAddress::parse(host, 0);
  if (address && address->family() == AF_INET6) return "[" + host + "]";
  return consists_of(host, "-.") ? host : std::string();
}

// Begins the tags of this process's INVITEs.
const std::string& tag_prefix() {
  static const std::string prefix = random_id({}, 6).value_or("process");
  return prefix;
}

Result<std::string> new_tag() { return random_id(tag_prefix(), 16); }

}  // namespace

bool is_own_tag(std::string_view tag) { return tag.starts_with(tag_prefix()); }

std::string quoted_display_name(std::string_view name) {
  std::string out;
  for (char c : clip_utf8(name, kMaxDisplayNameBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) continue;
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out.empty() ? out : "\"" + out + "\"";
}

Result<Invite> make_invite(OutboundCall call) {
  const TrunkAccess& trunk = call.trunk;
  const std::string host = uri_host(trunk.host);
  const std::string domain = trunk.from_domain.empty() ? host : uri_host(trunk.from_domain);
  const bool anonymous = trunk.caller_id.empty() || trunk.hides_caller;
  const std::string& asserted = trunk.asserted_id.empty() ? trunk.caller_id : trunk.asserted_id;
  const std::string user = anonymous ? "anonymous" : trunk.caller_id;
  const auto number = lib::normalise_number(call.number);
  if (host.empty()) return {Code::invalid, "trunk host: neither a name nor an address"};
  if (domain.empty()) return {Code::invalid, "from domain: neither a name nor an address"};
  if (!consists_of(user, "+-_.*#"))
    return {Code::invalid, "caller id: a character that is not allowed in a SIP user"};
  if (!asserted.empty() && !consists_of(asserted, "+-_.*#"))
    return {Code::invalid, "asserted identity: a character that is not allowed in a SIP user"};
  if (!number || *number != call.number) return {Code::invalid, "number: not normalised"};
  if (!consists_of(call.call_id, "-_."))
    return {Code::invalid, "call id: a character that is not allowed in a Call-ID"};

  Invite invite;
  const std::string port = trunk.port != 0 ? ":" + std::to_string(trunk.port) : std::string();
  const std::string target = "sip:" + call.number + "@" + host + port;
  // The display name defaults to the callee's number, which must not be shown to the callee.
  const auto label = lib::normalise_number(call.display_name);
  const bool is_callee = label && *label == call.number;
  std::string display = is_callee ? std::string() : quoted_display_name(call.display_name);
  // RFC 3323 section 4.1.1.3; fromDomain is for trunks that need their own domain there.
  std::string from_domain = domain;
  if (anonymous) {
    display = "\"Anonymous\"";
    if (trunk.from_domain.empty()) from_domain = "anonymous.invalid";
    invite.privacy = "id";
  }
  // The trunk trusts what we assert by its configuration; an account name is only a proposal.
  if (!asserted.empty())
    invite.identity = "P-Asserted-Identity: <sip:" + asserted + "@" + domain + ">";
  else if (consists_of(trunk.username, "+-_.*#"))
    invite.identity = "P-Preferred-Identity: <sip:" + trunk.username + "@" + domain + ">";
  invite.uri = target + ";transport=" + name_of(trunk.transport);
  PB_TRY_VALUE(const std::string tag, new_tag());
  invite.to = "<sip:" + call.number + "@" + host + ">";
  invite.from = display + (display.empty() ? "" : " ") + "<sip:" + user + "@" + from_domain + ">;tag=" + tag;
  invite.call_id = call.call_id + "-" + std::to_string(call.attempt) + "@" + domain;
  invite.call = std::move(call);
  return invite;
}

Result<std::string> refer_uri(const TrunkAccess& trunk, const std::string& number) {
  const std::string host = uri_host(trunk.host);
  if (host.empty()) return {Code::invalid, "trunk host: neither a name nor an address"};
  const auto normal = lib::normalise_number(number);
  if (!normal || *normal != number) return {Code::invalid, "number: not normalised"};
  const std::string port = trunk.port != 0 ? ":" + std::to_string(trunk.port) : std::string();
  return "sip:" + number + "@" + host + port;
}

// From is what the telephone shows; To has the user name under which the telephone has registered.
Result<Invite> make_contact_invite(OutboundCall call) {
  const ContactTarget& contact = *call.contact;
  const std::string domain = uri_host(call.tenant);
  if (domain.empty()) return {Code::invalid, "tenant: neither a name nor an address"};
  if (contact.uri.empty() || contact.uri.find_first_of(" \r\n\t<>\"") != std::string::npos)
    return {Code::invalid, "contact: not a URI"};
  if (!contact.from_number.empty() && !consists_of(contact.from_number, "+-_.*#"))
    return {Code::invalid, "caller: a character that is not allowed in a SIP user"};
  if (!consists_of(call.call_id, "-_."))
    return {Code::invalid, "call id: a character that is not allowed in a Call-ID"};
  PB_TRY_VALUE(const std::string tag, new_tag());
  const bool is_anonymous = contact.from_number.empty();
  std::string display = quoted_display_name(call.display_name);
  if (is_anonymous && display.empty()) display = "\"Anonymous\"";
  const std::string caller =
      is_anonymous ? "sip:anonymous@anonymous.invalid" : "sip:" + contact.from_number + "@" + domain;
  Invite invite;
  invite.uri = contact.uri;
  invite.to = "<sip:" + percent_encode(contact.user) + "@" + domain + ">";
  invite.from = display + (display.empty() ? "" : " ") + "<" + caller + ">;tag=" + tag;
  invite.call_id = call.call_id + "-" + std::to_string(call.attempt) + "@" + domain;
  invite.call = std::move(call);
  return invite;
}

Result<TrunkRequest> make_register(const TrunkAccess& trunk, const Target& target, const std::string& call_id,
                                   uint32_t sequence, int64_t expires_sec) {
  const std::string domain = uri_host(trunk.from_domain.empty() ? trunk.host : trunk.from_domain);
  if (domain.empty()) return {Code::invalid, "trunk host: neither a name nor an address"};
  if (!consists_of(trunk.username, "+-_.*#"))
    return {Code::invalid, "username: a character that is not allowed in a SIP user"};
  PB_TRY_VALUE(const std::string tag, random_id({}, 16));
  TrunkRequest request;
  request.method = "REGISTER";
  request.trunk = trunk;
  request.target = target;
  request.uri = "sip:" + domain;
  request.to = "<sip:" + trunk.username + "@" + domain + ">";
  request.from = request.to + ";tag=" + tag;
  request.call_id = call_id;
  request.sequence = sequence;
  request.contact_user = trunk.username;
  request.expires_sec = expires_sec;
  return request;
}

Result<TrunkRequest> make_options(const TrunkAccess& trunk, const Target& target) {
  const std::string host = uri_host(target.host.empty() ? trunk.host : target.host);
  const std::string domain = trunk.from_domain.empty() ? host : uri_host(trunk.from_domain);
  if (host.empty() || domain.empty()) return {Code::invalid, "trunk host: neither a name nor an address"};
  PB_TRY_VALUE(const std::string tag, random_id({}, 16));
  PB_TRY_VALUE(const std::string call_id, random_id({}, 24));
  TrunkRequest request;
  request.method = "OPTIONS";
  request.trunk = trunk;
  request.target = target;
  request.uri =
      "sip:" + host + ":" + std::to_string(target.address.port()) + ";transport=" + name_of(trunk.transport);
  request.from = "<sip:patchbay@" + domain + ">;tag=" + tag;
  request.to = "<sip:" + host + ">";
  request.call_id = call_id;
  return request;
}

}  // namespace patchbay::sip_trunk
