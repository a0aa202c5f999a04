#include "request_screen.h"

#include <sys/socket.h>

#include <algorithm>

namespace patchbay::sip_trunk {
namespace {

// The parser has no context of its own; an agent parses on its one thread.
thread_local const DialogPeers* screening_peers = nullptr;

// A tag that no dialog of ours has: ours are 16 letters and digits. (To sofia-sip, an empty one means any.)
constexpr char kNoTag[] = "-";

bool is_intruder(msg_t* message, const sip_t& sip) {
  const bool names_dialog = sip.sip_request != nullptr && sip.sip_call_id != nullptr && sip.sip_to != nullptr;
  if (screening_peers == nullptr || !names_dialog) return false;
  return screening_peers->is_intruder(sip.sip_call_id->i_id, source_of(message));
}

// Called with the end of the headers, and again while a body is incomplete.
issize_t extract_body(msg_t* message, msg_pub_t* object, char bytes[], isize_t size, int at_end) {
  auto* sip = reinterpret_cast<sip_t*>(object);
  const issize_t used = sip_default_mclass()->mc_extract_body(message, object, bytes, size, at_end);
  // Dialogs are looked up by a_tag. The answer has the header as it was sent.
  if (is_intruder(message, *sip)) sip->sip_to->a_tag = kNoTag;
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

void screen_with(const DialogPeers* peers) noexcept { screening_peers = peers; }

lib::SocketAddress source_of(msg_t* message) {
  const su_addrinfo_t* info = message != nullptr ? msg_addrinfo(message) : nullptr;
  if (info == nullptr || info->ai_addr == nullptr) return {};
  sockaddr_storage storage{};
  std::copy_n(reinterpret_cast<const char*>(info->ai_addr),
              std::min<size_t>(info->ai_addrlen, sizeof(storage)), reinterpret_cast<char*>(&storage));
  return lib::SocketAddress::from(storage);
}

}  // namespace patchbay::sip_trunk
