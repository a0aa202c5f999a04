#include "stack/request_screen.h"

#include <strings.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <utility>

#include "dialogs/dialog_route.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

// Per thread, because the parser has no context argument, and each user agent parses on its own thread.
thread_local RequestGuard* request_guard = nullptr;

// A tag that none of our dialogs has: ours are 16 letters and digits. To sofia-sip, an empty tag matches any.
constexpr char kNoTag[] = "-";
// A branch that no transaction of ours has.
constexpr char kNoBranch[] = "z9hG4bK-";

void route_to_source(msg_t* message, sip_t& answer) {
  su_home_t* home = msg_home(message);
  const auto from = source_of(message);
  const std::string contact = "<" + numeric_url(from, transport_of_via(answer)) + ">";
  answer.sip_record_route = nullptr;
  answer.sip_contact = sip_contact_make(home, contact.c_str());
}

// A call goes on when its transfer is refused, or our NOTIFY of one, whatever the status.
void keep_dialog(msg_t* message, sip_t& answer) {
  sip_status_t& status = *answer.sip_status;
  if (answer.sip_cseq == nullptr || status.st_status < 300) return;
  const sip_method_t method = answer.sip_cseq->cs_method;
  int graceful = 0;
  if ((method != sip_method_refer && method != sip_method_notify) ||
      sip_response_terminates_dialog(status.st_status, method, &graceful) >= 0)
    return;
  status.st_phrase = su_sprintf(msg_home(message), "%d %s", status.st_status,
                                status.st_phrase != nullptr ? status.st_phrase : "");
  status.st_status = 400;
}

bool is_datagram(msg_t* message) {
  const su_addrinfo_t* info = msg_addrinfo(message);
  return info == nullptr || info->ai_socktype == SOCK_DGRAM;
}

void screen(msg_t* message, sip_t& sip) {
  sip.sip_session_expires = nullptr;
  sip.sip_min_se = nullptr;
  if (sip.sip_status != nullptr) keep_dialog(message, sip);
  if (sip.sip_status != nullptr && request_guard != nullptr) {
    if (is_datagram(message)) request_guard->on_answer(sip, source_of(message));
    if (request_guard->is_stray(sip)) route_to_source(message, sip);
  }
  // Refused here, because sofia-sip answers another SIP version at the address in Via, before it has noted
  // the source.
  if (sip.sip_request != nullptr && strcasecmp(sip.sip_request->rq_version, sip_version_2_0) != 0)
    sip.sip_flags |= MSG_FLG_ERROR;
  const bool is_complete = sip.sip_request != nullptr && sip.sip_call_id != nullptr && sip.sip_to != nullptr;
  if (request_guard == nullptr || !is_complete) return;
  const Admission admission = request_guard->admit(sip, source_of(message), is_datagram(message));
  if (admission == Admission::granted) return;
  if (admission == Admission::handled) {
    sip.sip_request = nullptr;  // sofia-sip drops what is neither request nor answer
    return;
  }
  // Sofia-sip looks dialogs up by a_tag, but copies the header into the answer as it was sent.
  sip.sip_to->a_tag = kNoTag;
  // CANCEL and the ACK of a refusal are matched by branch instead; likewise copied as it was sent.
  const auto method = sip.sip_request->rq_method;
  const bool by_branch = method == sip_method_cancel || method == sip_method_ack;
  if (by_branch && sip.sip_via != nullptr) sip.sip_via->v_branch = kNoBranch;
  // An ACK is neither answered nor kept, and its branch may stop the retransmission of our answer.
  const bool is_ack = sip.sip_request->rq_method == sip_method_ack;
  if (admission == Admission::refused && !is_ack) sip.sip_flags |= MSG_FLG_ERROR;
}

// Adds the source of a request to its first Via as `received` (RFC 3261 section 18.2.1), because sofia-sip
// does not when it refuses the Via, and then answers to the host that the Via names.
void note_source(su_home_t* home, sip_via_t& via) {
  const auto* message = reinterpret_cast<const msg_t*>(home);  // the home of a message is the message itself
  const auto* sip = reinterpret_cast<const sip_t*>(msg_object(message));
  if (sip == nullptr || sip->sip_request == nullptr || sip->sip_via != nullptr) return;  // not a first Via
  const auto from = source_of(message);
  if (!from.valid() || (via.v_host != nullptr && from.ip_text() == via.v_host)) return;
  msg_header_replace_param(home, via.v_common, su_sprintf(home, "received=%s", from.ip_text().c_str()));
}

// Parses Via and removes maddr, which would take precedence over the source. Done while parsing, because
// sofia-sip also answers messages that end before their body. Keeps `received` in lower Vias, which proxies
// need to route the answer back (RFC 3261 section 18.2.2).
issize_t parse_via(su_home_t* home, msg_header_t* header, char* text, isize_t size) {
  const issize_t used = sip_via_class->hc_parse(home, header, text, size);
  if (used < 0) return used;
  auto* const first = reinterpret_cast<sip_via_t*>(header);
  for (auto* via = first; via != nullptr; via = via->v_next) {
    while (msg_header_remove_param(via->v_common, "maddr") > 0) {
    }
    via->v_maddr = nullptr;
  }
  note_source(home, *first);
  return used;
}

// Replaces the class that parses Via. Sofia-sip finds a header's class by name when it parses, and by the
// address of the class when it builds one, so its own class must stay too.
void parse_via_here(msg_mclass_t* made) {
  static const msg_hclass_t via_class = [] {
    std::remove_const_t<msg_hclass_t> copy = *sip_via_class;
    copy.hc_parse = parse_via;
    return copy;
  }();
  auto* const shorts = const_cast<msg_href_t*>(std::exchange(made->mc_short, nullptr));
  msg_href_t original{};
  const auto replace = [&original](msg_href_t& reference) {
    if (reference.hr_class != sip_via_class) return;
    original = reference;
    reference.hr_class = &via_class;
  };
  std::for_each(made->mc_hash, made->mc_hash + made->mc_hash_size, replace);
  msg_mclass_insert(made, &original);
  if (shorts != nullptr) replace(shorts['v' - 'a']);
  made->mc_short = shorts;
}

// Called at the end of the headers, and again while the body is incomplete.
issize_t extract_body(msg_t* message, msg_pub_t* object, char bytes[], isize_t size, int at_end) {
  auto* sip = reinterpret_cast<sip_t*>(object);
  const bool had_headers = (sip->sip_flags & MSG_FLG_BODY) != 0;
  const issize_t used = sip_default_mclass()->mc_extract_body(message, object, bytes, size, at_end);
  if (!had_headers && (sip->sip_flags & MSG_FLG_BODY) != 0) screen(message, *sip);
  return used;
}

}  // namespace

const msg_mclass_t* screening_parser() {
  static const msg_mclass_t* const parser = [] {
    msg_mclass_t* made = msg_mclass_clone(sip_default_mclass(), 0, 0);
    if (made == nullptr) return made;
    made->mc_extract_body = extract_body;
    parse_via_here(made);
    return made;
  }();
  return parser;
}

int received_status(const sip_t& response) {
  if (response.sip_status == nullptr) return 0;
  const std::string_view phrase =
      response.sip_status->st_phrase != nullptr ? response.sip_status->st_phrase : "";
  const bool is_kept = response.sip_cseq != nullptr && response.sip_cseq->cs_method == sip_method_refer &&
                       response.sip_status->st_status == 400 && phrase.size() > 4 && phrase[3] == ' ' &&
                       phrase.find_first_not_of("0123456789") == 3;
  return is_kept ? std::atoi(phrase.data()) : response.sip_status->st_status;
}

SessionHeaders read_session(const msg_t* message) {
  SessionHeaders out;
  const sip_t* sip = message != nullptr ? sip_object(const_cast<msg_t*>(message)) : nullptr;
  if (sip == nullptr) return out;
  out.supports_timer =
      sip_has_feature(sip->sip_supported, "timer") || sip_has_feature(sip->sip_require, "timer");
  for (const msg_header_t* at = *msg_chain_head(message); at != nullptr; at = at->sh_succ) {
    if (at->sh_class == sip_session_expires_class) {
      const auto* expires = reinterpret_cast<const sip_session_expires_t*>(at);
      out.expires_sec = static_cast<int64_t>(std::min<unsigned long>(expires->x_delta, kMaxSessionSec));
      const char* refresher = expires->x_refresher;
      if (refresher != nullptr && strcasecmp(refresher, "uac") == 0) out.refresher = Refresher::uac;
      if (refresher != nullptr && strcasecmp(refresher, "uas") == 0) out.refresher = Refresher::uas;
    } else if (at->sh_class == sip_min_se_class) {
      const auto* least = reinterpret_cast<const sip_min_se_t*>(at);
      out.min_sec = static_cast<int64_t>(std::min<unsigned long>(least->min_delta, kMaxSessionSec));
    }
  }
  return out;
}

void set_request_guard(RequestGuard* guard) noexcept { request_guard = guard; }

Transport transport_of_via(const sip_t& message) {
  const char* protocol = message.sip_via != nullptr ? message.sip_via->v_protocol : nullptr;
  if (protocol != nullptr && strcasecmp(protocol, sip_transport_tcp) == 0) return Transport::tcp;
  if (protocol != nullptr && strcasecmp(protocol, sip_transport_tls) == 0) return Transport::tls;
  return Transport::udp;
}

lib::SocketAddress source_of(const msg_t* message) {
  const su_addrinfo_t* info = message != nullptr ? msg_addrinfo(const_cast<msg_t*>(message)) : nullptr;
  if (info == nullptr || info->ai_addr == nullptr) return {};
  sockaddr_storage storage{};
  std::copy_n(reinterpret_cast<const char*>(info->ai_addr),
              std::min<size_t>(info->ai_addrlen, sizeof(storage)), reinterpret_cast<char*>(&storage));
  return lib::SocketAddress::from(storage);
}

}  // namespace patchbay::sip_trunk
