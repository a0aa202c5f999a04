// WebSocket frames (RFC 6455 section 5) of both sides. A client masks its frames, a server does not. Pure
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace patchbay::lib {

enum class Opcode : uint8_t { continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 };

constexpr bool is_control(Opcode opcode) { return opcode >= Opcode::close; }

inline constexpr size_t kMaxControlBytes = 125;

// Appends a frame with the whole of `payload`. `mask_key`: random, not known to the peer before.
void append_frame(std::string& out, Opcode opcode, std::string_view payload, uint32_t mask_key);
// The beginning of a server's frame, which `payload_bytes` of payload follow.
std::string server_frame_header(Opcode opcode, size_t payload_bytes);
// Applies the mask to `bytes`, or removes it.
void apply_mask(char* bytes, size_t size, uint32_t mask_key);
// The payload of a close frame. `reason` is cut to what fits.
std::string close_payload(uint16_t code, std::string_view reason);

struct FrameHeader {
  Opcode opcode = Opcode::text;
  bool final = true;
  uint64_t payload_bytes = 0;
  size_t header_bytes = 0;
  uint32_t mask_key = 0;  // of a client's frame
};
struct FrameHeaderRead {
  std::optional<FrameHeader> header;  // absent: more bytes are needed, or `error`
  const char* error = nullptr;        // why no such peer may send this
};
enum class Peer { server, client };
FrameHeaderRead read_frame_header(std::string_view bytes, Peer from = Peer::server);

// Returns whether a peer may send the code in a close frame (section 7.4).
bool is_close_code(uint16_t code);

}  // namespace patchbay::lib
