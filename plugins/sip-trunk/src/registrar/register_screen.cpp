#include "registrar/register_screen.h"

#include <sys/socket.h>

#include <utility>

#include "now_ms.h"
#include "registrar/digest_credentials.h"
#include "registrar/read_register.h"
#include "stack/header_text.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

constexpr int64_t kNsPerMs = 1'000'000;

// A Via as it goes into the answer; the first one with the source of the request (RFC 3581).
std::string via_line(const sip_via_t& via, const lib::SocketAddress* source) {
  if (source == nullptr) return "Via: " + header_text(&via) + "\r\n";
  std::string text = std::string("Via: ") + (via.v_protocol != nullptr ? via.v_protocol : "SIP/2.0/UDP") +
                     " " + (via.v_host != nullptr ? via.v_host : "");
  if (via.v_port != nullptr) text += std::string(":") + via.v_port;
  for (const msg_param_t* next = via.v_params; next != nullptr && *next != nullptr; ++next) {
    const std::string parameter = *next;
    if (parameter.rfind("received=", 0) == 0) continue;
    text += ";" + (parameter == "rport" ? "rport=" + std::to_string(source->port()) : parameter);
  }
  return text + ";received=" + source->ip_text() + "\r\n";
}

}  // namespace

RegisterScreen::RegisterScreen(std::shared_ptr<const Challenges> challenges)
    : challenges_(std::move(challenges)),
      strangers_({kChallengesPerSecond, kChallengeBurst, kMaxRegisterSources}),
      authenticated_({kRegistersPerSecond, kRegisterBurst, kMaxRegisterSources}),
      total_(kMaxOutOfDialogPerSecond) {}

Admission RegisterScreen::judge(const sip_t& request, const lib::SocketAddress& from, bool is_datagram) {
  const int64_t now = now_ms();
  const std::string source = from.ip_text();
  const bool is_known = has_valid_nonce(request, source, now);
  lib::AddressLimiter& limit = is_known ? authenticated_ : strangers_;
  if (limit.take(source, now * kNsPerMs) > 0) return drop(is_datagram);
  if (is_known || !is_datagram) return total_.take(now) ? Admission::granted : drop(is_datagram);
  const std::string realm = realm_of(request);
  if (realms_.count(realm) == 0) {
    answer(request, from, 404, {});
  } else {
    answer(request, from, 401, challenges_->make(realm, source, request.sip_authorization != nullptr, now));
    ++challenged_;
  }
  return Admission::handled;
}

// Over a connection the sender's address is no fiction, and a refusal ends the connection.
Admission RegisterScreen::drop(bool is_datagram) {
  ++dropped_;
  return is_datagram ? Admission::handled : Admission::refused;
}

bool RegisterScreen::has_valid_nonce(const sip_t& request, const std::string& source, int64_t now_ms) const {
  size_t tried = 0;
  for (const msg_auth_t* next = request.sip_authorization; next != nullptr && tried < kMaxCredentials;
       next = next->au_next, ++tried) {
    const auto credentials = parse_digest_credentials(header_text(next));
    if (credentials && challenges_->nonces().is_valid(credentials->nonce, source, now_ms)) return true;
  }
  return false;
}

void RegisterScreen::answer(const sip_t& request, const lib::SocketAddress& to, int status,
                            const std::vector<std::string>& challenges) const {
  if (socket_ < 0 || !to.valid()) return;
  const char* phrase = sip_status_phrase(status);
  std::string text = "SIP/2.0 " + std::to_string(status) + " " + (phrase != nullptr ? phrase : "") + "\r\n";
  const lib::SocketAddress* source = &to;
  for (const sip_via_t* via = request.sip_via; via != nullptr; via = via->v_next)
    text += via_line(*via, std::exchange(source, nullptr));
  text += "From: " + header_text(request.sip_from) + "\r\nTo: " + header_text(request.sip_to);
  if (request.sip_to->a_tag == nullptr)
    text += ";tag=" + challenges_->nonces().tag(request.sip_call_id->i_id);
  text += "\r\nCall-ID: " + header_text(request.sip_call_id) + "\r\nCSeq: " + header_text(request.sip_cseq) +
          "\r\n";
  for (const std::string& value : challenges) text += "WWW-Authenticate: " + value + "\r\n";
  text += "Content-Length: 0\r\n\r\n";
  sockaddr_storage storage;
  const socklen_t size = to.fill(storage);
  (void)::sendto(socket_, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                 reinterpret_cast<const sockaddr*>(&storage), size);
}

}  // namespace patchbay::sip_trunk
