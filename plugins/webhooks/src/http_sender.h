// HttpSender: posts to receivers on its own thread, where libcurl runs any number of requests concurrently:
// timeouts, TLS, redirects (not followed), size of the response, check of the address connected to.
#pragma once

#include <patchbay/function.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "webhook_limits.h"

namespace patchbay::webhooks {

struct Post {
  std::string url;                   // passed check_receiver_url
  std::vector<std::string> headers;  // "Name: value"
  std::string body;
  std::string ca_file;         // trusted in addition to the system's; "": none
  bool allow_private = false;  // also connects to addresses that are not public
};

struct Outcome {
  bool delivered = false;  // a 2xx, whatever happened to the rest of the response
  int64_t status = 0;      // of the response; 0: there was none
  std::string error;       // one phrase for the tenant, without internal names; "" when delivered
  bool complete = false;   // the response was read to its end
};

class HttpSender {
 public:
  struct Limits {
    int64_t timeout_ms = kRequestTimeoutMs;  // by the real clock
    size_t max_response_bytes = kMaxResponseBytes;
  };
  using Done = Function<void(Outcome)>;

  HttpSender();
  explicit HttpSender(Limits limits);
  // Cancels the requests in flight, without calling `done`, and joins the thread.
  ~HttpSender();
  HttpSender(const HttpSender&) = delete;
  HttpSender& operator=(const HttpSender&) = delete;

  // [any] Calls done() once, on the sender's thread; it must not block.
  void send(Post post, Done done);

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace patchbay::webhooks
