#include "stream_session.h"

#include <patchbay/services/http_rules.h>
#include <patchbay/strand.h>

#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "limits.h"

namespace patchbay::rest_api {

// What the server thread has for the main strand.
struct StreamSession::Inbox {
  struct Message {
    Buffer data;
    bool binary = false;
  };
  std::mutex mutex;
  std::deque<Message> messages;  // guarded by mutex, as are the next ones
  std::optional<StreamEnd> end;
  bool posted = false;
  size_t unanswered = 0;  // messages that the plugin has not answered
  size_t octets = 0;      // of them
  ServerStream* stream = nullptr;
  std::function<void()> notify;  // posts take_inbox(); set before the stream is opened

  static bool is_full(size_t messages, size_t octets) {
    return messages >= kMaxUnansweredMessages || octets >= kMaxUnansweredOctets;
  }
  // [server thread]
  void add(Buffer data, bool binary) {
    const std::lock_guard lock(mutex);
    ++unanswered;
    octets += data.size();
    if (is_full(unanswered, octets)) stream->pause();
    messages.push_back({std::move(data), binary});
    if (!std::exchange(posted, true)) notify();
  }
  void finish(const StreamEnd& with) {
    const std::lock_guard lock(mutex);
    end = with;
    if (!std::exchange(posted, true) && notify) notify();
  }
  void answered(size_t size) {
    const std::lock_guard lock(mutex);
    --unanswered;
    octets -= size;
    if (!is_full(2 * unanswered, 2 * octets)) stream->resume();
  }
};

StreamSession::StreamSession(const Host& host, std::string_view kind, const StreamLimits& limits,
                             const Exchange& exchange)
    : host_(&host),
      inbox_(std::make_shared<Inbox>()),
      stream_([&] {
        StreamHandlers handlers{
            [inbox = inbox_](Buffer data, bool binary) { inbox->add(std::move(data), binary); },
            [inbox = inbox_](const StreamEnd& end) { inbox->finish(end); }};
        return kind == "websocket"
                   ? open_web_socket(exchange.writer(), limits, std::move(handlers))
                   : open_event_stream(exchange.writer(), limits, std::move(handlers), !exchange.http_1_0);
      }()),
      connection_(host) {
  inbox_->stream = stream_.get();
  inbox_->notify = [host = host_, take = alive_.bind([this] { take_inbox(); })] {
    post(*host, kMainStrand, take);
  };
  serve_connection();
}

// The plugin's handle ends with this; what the client sends then is dropped.
StreamSession::~StreamSession() { stream_->close(kServerStops, "the service has ended"); }

// These run on the callers' threads.
void StreamSession::serve_connection() {
  using http::Connection;
  using http::Unsent;
  const auto unsent = [](const Result<size_t>& put) -> Result<Unsent> {
    if (!put) return put.error();
    return Unsent{static_cast<int64_t>(*put)};
  };
  connection_.on(Connection::send, [stream = stream_, unsent](const http::Message& message) {
    return unsent(stream->send(message.data, message.binary));
  });
  connection_.on(Connection::send_event, [stream = stream_, unsent](const http::ServerEvent& event) {
    return unsent(stream->send_event({event.id, event.event, event.data.view(), event.retry_ms}));
  });
  connection_.on(Connection::close, [stream = stream_](const http::Close& close) -> Result<Empty> {
    if (!http::is_close_code(close.code)) return {Code::invalid, "a plugin may not close with this code"};
    stream->close(static_cast<uint16_t>(close.code), close.reason);
    return Empty{};
  });
  connection_.on(Connection::unsent, [stream = stream_](const Empty&) -> Result<Unsent> {
    return Unsent{static_cast<int64_t>(stream->unsent())};
  });
  connection_.on(Connection::flush, [stream = stream_, unsent](const Empty&, Reply<Unsent> reply) {
    const auto shared = std::make_shared<Reply<Unsent>>(std::move(reply));  // because a function is copied
    stream->flush([shared, unsent](const Result<size_t>& flushed) { (*shared)(unsent(flushed)); });
  });
}

bool StreamSession::open(Handle listener, std::function<void()> ended) {
  listener_ = Lease<http::StreamListener>::open(*host_, listener);
  if (!listener_) return false;
  ended_ = std::move(ended);
  listener_end_ = EndWatch(*host_, listener,
                           [this] { stream_->close(kServerStops, "the service of this stream has ended"); });
  return true;
}

void StreamSession::end_unopened() { inbox_->finish({kNormalClose, "a request for the head only"}); }

void StreamSession::take_inbox() {
  std::deque<Inbox::Message> messages;
  std::optional<StreamEnd> end;
  {
    const std::lock_guard lock(inbox_->mutex);
    inbox_->posted = false;
    messages.swap(inbox_->messages);
    end.swap(inbox_->end);
  }
  for (const Inbox::Message& message : messages) pass_message(message.data, message.binary);
  if (!end) return;
  listener_.call(http::StreamListener::closed, {end->code, end->reason}, [this](const Result<Empty>&) {
    const auto ended = std::move(ended_);  // destroys this
    ended();
  });
}

void StreamSession::pass_message(const Buffer& data, bool binary) {
  listener_.call(http::StreamListener::message, {data, binary},
                 [this, octets = data.size()](const Result<Empty>& done) {
                   inbox_->answered(octets);
                   if (!done && done.error().code != Code::gone)
                     stream_->close(kFailedClose, "the message could not be processed");
                 });
}

}  // namespace patchbay::rest_api
