// A webhook receiver: a real HTTP server on loopback that checks signatures with code of its own, records
// what comes, and answers as it is told. Threads of its own; every function may be called from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace patchbay::test {

enum class WebhookAnswer {
  ok,          // 200
  no_content,  // 204
  error,       // 500
  redirect,    // 301, to a path that answers 200
  hang,        // nothing, ever
  drip,        // a head that never ends, a byte each 50 ms
  reset,       // RST after the request
  huge,        // 200 and a body without end
  late_body,   // 200 with a head, and a body that never comes
  garbage,     // no HTTP
};

struct WebhookDelivery {
  int64_t time_ms = 0;  // since the receiver began
  std::string path;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  bool signature_ok = false;     // X-Platform-Signature
  bool signature_v2_ok = false;  // X-Platform-Signature-V2

  std::string header(const std::string& name) const;
};

class WebhookReceiver {
 public:
  struct Options {
    std::string secret;                    // of the signatures; "" answers whatever the signature
    std::string log_file;                  // a line of JSON per delivery is appended; "" for none
    uint16_t port = 0;                     // 0: a free one
    std::string certificate_pem, key_pem;  // both: HTTPS
  };

  // Aborts the program when it cannot listen.
  explicit WebhookReceiver(Options options);
  ~WebhookReceiver();

  uint16_t port() const;
  std::string url(const std::string& path = "/hook") const;

  // To be given to the next deliveries, in order; then `usual`, ok at first.
  void answer_next(std::vector<WebhookAnswer> answers);
  void answer_always(WebhookAnswer usual);
  // Deliveries with another secret are answered 401.
  void set_secret(const std::string& secret);

  std::vector<WebhookDelivery> deliveries() const;
  // Waits until that many have come, at most `limit`; what has come by then.
  std::vector<WebhookDelivery> wait_for(size_t count,
                                        std::chrono::milliseconds limit = std::chrono::seconds(60)) const;
  // Bytes of answers that were taken off our hands.
  uint64_t bytes_sent() const;

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace patchbay::test
