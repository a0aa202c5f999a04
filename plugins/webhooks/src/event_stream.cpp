#include "event_stream.h"

#include <patchbay/json.h>
#include <patchbay/text.h>

#include <algorithm>
#include <utility>

#include "webhook_limits.h"

namespace patchbay::webhooks {
namespace {

// RFC 6455 7.4.1, for the log of the server: a client of events sees the end of its connection only.
constexpr int64_t kGoingAway = 1001;
constexpr int64_t kTryAgainLater = 1013;

std::string bearer_of(const http::Request& request) {
  constexpr std::string_view kScheme = "bearer ";
  std::string_view value = request.headers.text("authorization");
  if (!equals_ignoring_case(value.substr(0, kScheme.size()), kScheme)) return {};
  value.remove_prefix(kScheme.size());
  return std::string(trim(value));
}

// A line break between the tokens of a payload would make two lines of it.
std::string one_line(std::string json) {
  std::replace_if(
      json.begin(), json.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return json;
}

}  // namespace

EventStream::EventStream(const Host& host, const EventLogReader& reader, const http::Request& request,
                         EventQuery query)
    : host_(host),
      reader_(reader),
      bearer_(bearer_of(request)),
      remote_(request.remote),
      stream_(host, request),
      query_(std::move(query)),
      sent_id_(query_.after) {}

http::Response EventStream::accept(Function<void()> ended) {
  stream_.on_closed([ended = std::move(ended)](const http::Closed&) mutable { ended(); });
  http::ServerEvent first;
  first.retry_ms = kStreamRetryMs;
  stream_.send_event(first);
  return stream_.accept();
}

void EventStream::send(const EventPage& page) {
  for (const EventPage::Item& item : page.items) {
    stream_.send_event({std::to_string(item.seq), item.topic, Buffer::copy(one_line(item.json()))});
    sent_id_ = item.seq;
  }
  query_.after = page.after;
  again_ = true;
  busy_ = true;
  flushed_for_ns_ = host_.mono_ns();
  stream_.flush(alive_.bind([this](const Result<http::Unsent>& unsent) {
    if (!unsent) return;  // it has ended
    busy_ = false;
    flushed_for_ns_ = 0;
    read();
  }));
}

void EventStream::wake() {
  again_ = true;
  if (!busy_) read();
}

void EventStream::read() {
  busy_ = true;
  again_ = false;
  reader_.read(query_, alive_.bind([this](const Result<EventPage>& page) {
    busy_ = false;
    if (page) return take(*page);
    again_ = true;  // check() reads again
  }));
}

void EventStream::take(const EventPage& page) {
  if (page.oldest > query_.after) return end_at_gap(page);
  if (!page.items.empty()) return send(page);
  query_.after = page.after;
  if (again_ || page.after < page.newest) read();
}

// Without an id, so that the client asks again from the last event that it has, and gets 410.
void EventStream::end_at_gap(const EventPage& page) const {
  JsonWriter gone;
  gone.object().member("error", "gone").member("oldest", page.oldest).member("newest", page.newest).end();
  stream_.send_event({"", std::string(kGoneEvent), Buffer::copy(std::move(gone).str())});
  stream_.close(kGoingAway, "the log no longer has the next events");
}

void EventStream::check() {
  if (flushed_for_ns_ != 0 && host_.mono_ns() - flushed_for_ns_ > kMaxUnreadMs * 1'000'000)
    return close(kTryAgainLater, "the client does not read");
  if (again_ && !busy_) read();
}

void EventStream::send_position() {
  if (busy_ || query_.after <= sent_id_) return;
  sent_id_ = query_.after;
  stream_.send_event({std::to_string(sent_id_), "", {}});
}

}  // namespace patchbay::webhooks
