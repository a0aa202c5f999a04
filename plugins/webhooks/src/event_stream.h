// EventStream: one client that follows the event log by server-sent events: what it missed, then what comes.
// On the main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/services/http_stream.h>

#include <cstdint>
#include <string>

#include "event_log_reader.h"

namespace patchbay::webhooks {

// Reads every event from the log, so none is missed or sent twice, whatever wakes it. Reads the next page
// when the client has taken most of the last one.
class EventStream {
 public:
  // Borrows the reader. `query` is that of the first page, which the caller has read.
  EventStream(const Host& host, const EventLogReader& reader, const http::Request& request, EventQuery query);

  const std::string& tenant() const noexcept { return query_.tenant; }
  // Of the request, to be verified again; "": it came over the admin socket.
  const std::string& bearer() const noexcept { return bearer_; }
  const std::string& remote() const noexcept { return remote_; }

  // Returns the response that opens the stream; then send the first page. `ended` may destroy this object.
  http::Response accept(Function<void()> ended);
  void send(const EventPage& page);
  // Reads the log, because it may have new events.
  void wake();
  // Reads again if the last read failed, and ends the stream of a client that has not read for too long. Call
  // it every kLogPollMs.
  void check();
  // Tells the client how far the log was read, so that it continues there although no event matched.
  void send_position();
  void close(int64_t code, const char* reason) const { stream_.close(code, reason); }

 private:
  void read();
  void take(const EventPage& page);
  void end_at_gap(const EventPage& page) const;

  // borrowed
  const Host& host_;
  const EventLogReader& reader_;
  // owned
  const std::string bearer_, remote_;
  http::Stream stream_;
  // state
  EventQuery query_;
  int64_t sent_id_ = 0;         // of the last event that was sent
  bool busy_ = false;           // reads, or waits for the client
  bool again_ = false;          // the log may have more
  int64_t flushed_for_ns_ = 0;  // since when it waits for the client; 0: it does not
  Lifetime alive_;
};

}  // namespace patchbay::webhooks
