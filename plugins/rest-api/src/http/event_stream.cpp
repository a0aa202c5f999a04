// Server-sent events (WHATWG HTML 9.2), in chunks (RFC 9112 7.1) unless the client speaks HTTP/1.0.
#include <patchbay/utf8.h>

#include <array>
#include <charconv>
#include <utility>

#include "server_stream.h"

namespace patchbay::rest_api {
namespace {

bool is_one_line(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos && is_utf8(text);
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  if (!value.empty()) out.append(name).append(": ").append(value).append("\n");
}

// Each line of the data is a field; CR, LF and CRLF end a line.
void append_data(std::string& out, std::string_view data) {
  while (true) {
    const size_t end = data.find_first_of("\r\n");
    out.append("data: ").append(data.substr(0, end)).append("\n");
    if (end == std::string_view::npos) return;
    data.remove_prefix(end + (data.substr(end, 2) == "\r\n" ? 2 : 1));
  }
}

class EventStream final : public ServerStream {
 public:
  EventStream(StreamWriter writer, const StreamLimits& limits, StreamHandlers handlers, bool chunked)
      : ServerStream(std::move(writer), limits, std::move(handlers)), chunked_(chunked) {}

  Result<size_t> send(const Buffer&, bool) override {
    return {Code::invalid, "an event stream has events, not messages"};
  }
  Result<size_t> send_event(const StreamEventText& event) override {
    if (!is_one_line(event.id) || !is_one_line(event.event))
      return {Code::invalid, "the id and the type of an event are one line of UTF-8 each"};
    if (!is_utf8(event.data)) return {Code::invalid, "the data of an event are UTF-8"};
    std::string text;
    text.reserve(event.id.size() + event.event.size() + event.data.size() + 32);
    append_field(text, "id", event.id);
    append_field(text, "event", event.event);
    if (event.retry_ms > 0) append_field(text, "retry", std::to_string(event.retry_ms));
    const bool is_event =
        !event.event.empty() || !event.data.empty() || (event.id.empty() && event.retry_ms <= 0);
    if (is_event) append_data(text, event.data);
    text += '\n';
    return put_message(coded(std::move(text)), {}, {});
  }

  void on_data(std::string_view) override {}  // the client has nothing more to say
  bool is_finished() const noexcept override { return output_.is_done(); }
  // Without the last chunk, so that the client knows that it missed something.
  bool is_broken() const noexcept override { return is_cut(); }

 private:
  std::string coded(std::string text) const {
    if (!chunked_) return text;
    std::array<char, 20> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), text.size(), 16).ptr;
    std::string chunk(digits.data(), end);
    return chunk.append("\r\n").append(text).append("\r\n");
  }
  std::string ending(uint16_t code, std::string_view) const override {
    return chunked_ && code != kSlowReader ? "0\r\n\r\n" : "";
  }
  void ping() override { static_cast<void>(output_.put(coded(":\n\n"))); }

  const bool chunked_;
};

}  // namespace

std::shared_ptr<ServerStream> open_event_stream(StreamWriter writer, const StreamLimits& limits,
                                                StreamHandlers handlers, bool chunked) {
  return std::make_shared<EventStream>(std::move(writer), limits, std::move(handlers), chunked);
}

}  // namespace patchbay::rest_api
