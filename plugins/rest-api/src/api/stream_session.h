// StreamSession: one request of a WebSocket or event route, and the stream that its handler opens. Provides
// its patchbay.http.connection, and passes messages to the plugin's listener. On the main strand.
#pragma once

#include <patchbay/end_watch.h>
#include <patchbay/lifetime.h>
#include <patchbay/services/http_stream.h>

#include <functional>
#include <memory>

#include "http/server_stream.h"

namespace patchbay::rest_api {

class StreamSession {
 public:
  // `kind`: that of the route.
  StreamSession(const Host& host, std::string_view kind, const StreamLimits& limits,
                const Exchange& exchange);
  ~StreamSession();
  StreamSession(const StreamSession&) = delete;
  StreamSession& operator=(const StreamSession&) = delete;

  Handle connection() { return connection_.handle(); }
  const std::shared_ptr<ServerStream>& stream() const noexcept { return stream_; }
  // The plugin has opened the stream. Calls `ended` once the listener knows of the end, or has ended itself;
  // it may destroy this. False: there is no such listener.
  bool open(Handle listener, std::function<void()> ended);
  // Tells the listener that nothing was opened, as it is a request for the head only.
  void end_unopened();

 private:
  struct Inbox;
  void serve_connection();
  void take_inbox();
  void pass_message(const Buffer& data, bool binary);

  const Host* host_;
  const std::shared_ptr<Inbox> inbox_;          // shared with the stream
  const std::shared_ptr<ServerStream> stream_;  // shared with the connection of the client
  Provision<http::Connection> connection_;
  Lease<http::StreamListener> listener_;
  EndWatch listener_end_;
  std::function<void()> ended_;
  Lifetime alive_;
};

}  // namespace patchbay::rest_api
