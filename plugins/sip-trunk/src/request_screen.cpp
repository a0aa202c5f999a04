#include "request_screen.h"

#include <sys/socket.h>

#include <algorithm>

namespace patchbay::sip_trunk {
namespace {

// The parser has no context of its own; an agent parses on its one thread.
thread_local RequestGuard* request_guard = nullptr;

// A tag that no dialog of ours has: ours are 16 letters and digits. (To sofia-sip, an empty one means any.)
constexpr char kNoTag[] = "-";

void screen(msg_t* message, sip_t& sip) {
  const bool is_complete = sip.sip_request != nullptr && sip.sip_call_id != nullptr && sip.sip_to != nullptr;
  if (request_guard == nullptr || !is_complete) return;
  const Admission admission = request_guard->admit(sip.sip_call_id->i_id, source_of(message));
  if (admission == Admission::granted) return;
  // Dialogs are looked up by a_tag. The answer has the header as it was sent.
  sip.sip_to->a_tag = kNoTag;
  // An ACK has no answer and is not kept, and by its branch it may end the repetition of an answer of ours.
  const bool is_ack = sip.sip_request->rq_method == sip_method_ack;
  if (admission == Admission::refused && !is_ack) sip.sip_flags |= MSG_FLG_ERROR;
}

// Called with the end of the headers, and again while a body is incomplete.
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
    if (made != nullptr) made->mc_extract_body = extract_body;
    return made;
  }();
  return parser;
}

void screen_with(RequestGuard* guard) noexcept { request_guard = guard; }

lib::SocketAddress source_of(msg_t* message) {
  const su_addrinfo_t* info = message != nullptr ? msg_addrinfo(message) : nullptr;
  if (info == nullptr || info->ai_addr == nullptr) return {};
  sockaddr_storage storage{};
  std::copy_n(reinterpret_cast<const char*>(info->ai_addr),
              std::min<size_t>(info->ai_addrlen, sizeof(storage)), reinterpret_cast<char*>(&storage));
  return lib::SocketAddress::from(storage);
}

}  // namespace patchbay::sip_trunk
