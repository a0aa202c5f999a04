// The server's side of a WebSocket (RFC 6455).
#include <patchbay/utf8.h>

#include <cstring>
#include <utility>

#include "server_stream.h"
#include "websocket/message_reader.h"

namespace patchbay::rest_api {
namespace {

using lib::MessageReader;
using lib::Opcode;

std::string control_frame(Opcode opcode, std::string_view payload) {
  return lib::server_frame_header(opcode, payload.size()).append(payload);
}

class WebSocket final : public ServerStream {
 public:
  WebSocket(StreamWriter writer, const StreamLimits& limits, StreamHandlers handlers)
      : ServerStream(std::move(writer), limits, std::move(handlers)),
        reader_(limits.max_message, lib::Peer::client) {}

  Result<size_t> send(const Buffer& data, bool binary) override {
    if (!binary && !is_utf8(data.view())) return {Code::invalid, "a text message is UTF-8"};
    const auto opcode = binary ? Opcode::binary : Opcode::text;
    return put_message(lib::server_frame_header(opcode, data.size()), data, {});
  }
  Result<size_t> send_event(const StreamEventText&) override {
    return {Code::invalid, "a WebSocket has messages, not events"};
  }

  void on_data(std::string_view bytes) override {
    heard();
    if (received_close_ || failed_) return;
    std::memcpy(reader_.prepare(bytes.size()), bytes.data(), bytes.size());
    reader_.commit(bytes.size());
    for (auto event = reader_.next(); event.kind != MessageReader::Kind::none; event = reader_.next()) {
      take(event);
      if (received_close_ || failed_) return;
    }
  }
  void on_tick(Clock::time_point now) override {
    if (!has_end()) return ServerStream::on_tick(now);
    if (close_by_ == Clock::time_point{}) close_by_ = now + std::chrono::milliseconds(kStreamCloseMs);
    late_ = now > close_by_;
  }
  // Both sides have sent a close frame, or the client's does not come.
  bool is_finished() const noexcept override {
    return (received_close_ || failed_ || late_) && output_.is_done();
  }
  // The client does not read the close frame either.
  bool is_broken() const noexcept override { return late_; }

 private:
  void take(const MessageReader::Event& event) {
    switch (event.kind) {
      case MessageReader::Kind::message:
        if (!has_end()) take_message(event.payload, event.binary);
        return;
      case MessageReader::Kind::ping:
        if (output_.unsent() < kMaxUnsentForPong)
          static_cast<void>(output_.put(control_frame(Opcode::pong, event.payload)));
        return;
      case MessageReader::Kind::close:
        received_close_ = true;
        finish(event.code != 0 ? event.code : kNoCode, event.payload, true);
        return;
      case MessageReader::Kind::too_big:
        return fail(kTooBigClose, "the message is too long");
      case MessageReader::Kind::violation:
        return fail(event.code, event.error);
      default:
        return;
    }
  }
  // RFC 6455 7.1.7: reads nothing further.
  void fail(uint16_t code, std::string_view reason) {
    failed_ = true;
    finish(code, reason, false);
  }

  std::string ending(uint16_t code, std::string_view reason) const override {
    if (code == kNoCode) return control_frame(Opcode::close, {});
    if (code == kLostConnection) return {};
    return control_frame(Opcode::close, lib::close_payload(code, reason));
  }
  void ping() override { static_cast<void>(output_.put(control_frame(Opcode::ping, {}))); }
  bool answers_pings() const noexcept override { return true; }

  MessageReader reader_;
  bool received_close_ = false;
  bool failed_ = false;
  bool late_ = false;
  Clock::time_point close_by_{};
};

}  // namespace

std::shared_ptr<ServerStream> open_web_socket(StreamWriter writer, const StreamLimits& limits,
                                              StreamHandlers handlers) {
  return std::make_shared<WebSocket>(std::move(writer), limits, std::move(handlers));
}

}  // namespace patchbay::rest_api
