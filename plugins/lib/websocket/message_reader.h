// MessageReader: cuts the bytes of a WebSocket connection into messages and control frames (RFC 6455
// section 5). The only parser of what a peer sends, a server or a client. Pure logic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "websocket/frame.h"

namespace patchbay::lib {

class MessageReader {
 public:
  enum class Kind {
    none,  // more bytes are needed
    message,
    ping,
    pong,
    close,
    too_big,   // a message beyond the limit; nothing follows
    violation  // of the protocol; nothing follows
  };
  struct Event {
    Kind kind = Kind::none;
    std::string_view payload = {};  // of a message or control frame, without the code of a close frame
    bool binary = false;
    uint16_t code = 0;            // of a close frame, 0: none; of a violation, to close with
    const char* error = nullptr;  // of a violation
  };

  explicit MessageReader(size_t max_message_bytes, Peer from = Peer::server)
      : max_message_bytes_(max_message_bytes), from_(from) {}

  // Returns room for `size` bytes to be received, valid until the next call of another function.
  char* prepare(size_t size);
  // So many bytes were received there.
  void commit(size_t size) { end_ += size; }
  // Returns the next event, whose payload is valid until the next call of prepare() or next().
  Event next();

 private:
  Event control(const FrameHeader& frame, std::string_view payload);
  Event data(const FrameHeader& frame, std::string_view payload);
  Event whole(std::string_view payload, bool binary);
  Event violation(const char* error, uint16_t code = 1002);
  void release_consumed();

  const size_t max_message_bytes_;
  const Peer from_;
  // The bytes from begin_ to end_ are not consumed yet.
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0, begin_ = 0, end_ = 0;
  size_t frame_bytes_ = 0;  // of the frame of the last event, consumed by the next call
  // A message in parts.
  std::string parts_;
  bool in_parts_ = false;
  bool parts_done_ = false;  // parts_ was the payload of the last event
  bool parts_binary_ = false;
  bool failed_ = false;
};

}  // namespace patchbay::lib
