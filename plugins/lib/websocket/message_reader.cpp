#include "websocket/message_reader.h"

#include <patchbay/utf8.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "websocket/limits.h"

namespace patchbay::lib {
namespace {

// Skips ASCII eight characters at a time, because nearly all texts are ASCII.
bool is_text(std::string_view bytes) {
  size_t at = 0;
  for (uint64_t eight; at + sizeof eight <= bytes.size(); at += sizeof eight) {
    std::memcpy(&eight, bytes.data() + at, sizeof eight);
    if ((eight & 0x8080808080808080U) != 0) break;
  }
  return is_utf8(bytes.substr(at));
}

}  // namespace

char* MessageReader::prepare(size_t size) {
  release_consumed();
  if (capacity_ - end_ >= size) return buffer_.get() + end_;
  const size_t held = end_ - begin_;
  if (capacity_ - held >= size && begin_ >= held) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, held);
  } else {
    const size_t larger = std::max(held + size, 2 * held);
    std::unique_ptr<char[]> fresh(new char[larger]);
    if (held > 0) std::memcpy(fresh.get(), buffer_.get() + begin_, held);
    buffer_ = std::move(fresh);
    capacity_ = larger;
  }
  begin_ = 0;
  end_ = held;
  return buffer_.get() + end_;
}

void MessageReader::release_consumed() {
  begin_ += std::exchange(frame_bytes_, 0);
  if (failed_) begin_ = end_;  // drops what follows, because it may be endless
  if (std::exchange(parts_done_, false)) {
    parts_.clear();
    if (parts_.capacity() > kMaxKeptBufferBytes) parts_.shrink_to_fit();
  }
  if (begin_ != end_) return;
  begin_ = end_ = 0;
  if (capacity_ > kMaxKeptBufferBytes) {
    buffer_.reset();
    capacity_ = 0;
  }
}

MessageReader::Event MessageReader::next() {
  release_consumed();
  while (!failed_) {
    const std::string_view bytes(buffer_.get() + begin_, end_ - begin_);
    const FrameHeaderRead read = read_frame_header(bytes, from_);
    if (read.error != nullptr) return violation(read.error);
    if (!read.header) break;
    const FrameHeader& frame = *read.header;
    if (!is_control(frame.opcode)) {
      if (in_parts_ != (frame.opcode == Opcode::continuation))
        return violation("a continuation without a beginning, or the reverse");
      // Before the rest of it has arrived.
      if (frame.payload_bytes > max_message_bytes_ - std::min(max_message_bytes_, parts_.size())) {
        failed_ = true;
        return {Kind::too_big};
      }
    }
    if (bytes.size() - frame.header_bytes < frame.payload_bytes) break;
    frame_bytes_ = frame.header_bytes + static_cast<size_t>(frame.payload_bytes);
    if (from_ == Peer::client)  // once, because the frame is consumed by the next call
      apply_mask(buffer_.get() + begin_ + frame.header_bytes, static_cast<size_t>(frame.payload_bytes),
                 frame.mask_key);
    const std::string_view payload =
        bytes.substr(frame.header_bytes, static_cast<size_t>(frame.payload_bytes));
    const Event event = is_control(frame.opcode) ? control(frame, payload) : data(frame, payload);
    if (event.kind != Kind::none) return event;
    begin_ += std::exchange(frame_bytes_, 0);
  }
  return {};
}

MessageReader::Event MessageReader::control(const FrameHeader& frame, std::string_view payload) {
  if (frame.opcode == Opcode::ping) return {Kind::ping, payload};
  if (frame.opcode == Opcode::pong) return {Kind::pong, payload};
  if (payload.empty()) return {Kind::close};
  if (payload.size() == 1) return violation("a close frame with half a code");
  const auto code =
      static_cast<uint16_t>(static_cast<uint8_t>(payload[0]) << 8 | static_cast<uint8_t>(payload[1]));
  if (!is_close_code(code)) return violation("a close frame whose code is not valid");
  payload.remove_prefix(2);
  if (!is_text(payload)) return violation("a close frame whose reason is not UTF-8", 1007);
  return {Kind::close, payload, false, code};
}

MessageReader::Event MessageReader::data(const FrameHeader& frame, std::string_view payload) {
  if (!in_parts_) parts_binary_ = frame.opcode == Opcode::binary;
  if (!in_parts_ && frame.final) return whole(payload, parts_binary_);
  parts_.append(payload);
  in_parts_ = !frame.final;
  if (in_parts_) return {};
  parts_done_ = true;
  return whole(parts_, parts_binary_);
}

MessageReader::Event MessageReader::whole(std::string_view payload, bool binary) {
  if (!binary && !is_text(payload)) return violation("a text that is not UTF-8", 1007);
  return {Kind::message, payload, binary};
}

MessageReader::Event MessageReader::violation(const char* error, uint16_t code) {
  failed_ = true;
  return {Kind::violation, {}, false, code, error};
}

}  // namespace patchbay::lib
