#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "websocket/message_reader.h"
#include "websocket/upgrade.h"

using namespace patchbay::lib;

namespace {

// All events of the bytes, received in pieces of this size.
std::string read(std::string_view bytes, size_t piece, Peer from) {
  MessageReader reader(1000, from);
  std::string events;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    const size_t size = std::min(piece, bytes.size());
    std::memcpy(reader.prepare(size), bytes.data(), size);
    reader.commit(size);
    for (auto event = reader.next(); event.kind != MessageReader::Kind::none; event = reader.next())
      events += std::to_string(static_cast<int>(event.kind)) + std::to_string(event.code) +
                std::string(event.payload);
  }
  return events;
}

std::string describe(const patchbay::Result<std::optional<UpgradeResponse>>& read) {
  if (!read) return "error " + read.error().text;
  if (!*read) return "needs more";
  return std::to_string((*read)->status) + " " + std::to_string((*read)->bytes) + (*read)->error;
}

// The response to an upgrade is complete with its last byte, neither before nor later.
void check_upgrade(std::string_view text) {
  constexpr const char* kKey = "dGhlIHNhbXBsZSBub25jZQ==";
  const auto whole = read_upgrade_response(text, kKey);
  if (!whole || !*whole) return;
  const size_t bytes = (*whole)->bytes;
  if (bytes > text.size() || (*whole)->status < 100 || (*whole)->status > 999) std::abort();
  if (describe(read_upgrade_response(text.substr(0, bytes), kKey)) != describe(whole)) std::abort();
  if (describe(read_upgrade_response(text.substr(0, bytes - 1), kKey)) != "needs more") std::abort();
}

}  // namespace

// What a WebSocket server or client sends: any bytes give the same events, however they are cut, or an error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_upgrade(text);
  for (const Peer from : {Peer::server, Peer::client}) {
    const std::string whole = read(text, std::max<size_t>(size, 1), from);
    if (read(text, 1, from) != whole || read(text, 7, from) != whole) std::abort();
  }
  return 0;
}
