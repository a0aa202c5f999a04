// A webhook receiver: an HTTP server on loopback that checks signatures independently of the plugin, records
// deliveries, and answers as configured. It has its own threads; call its functions from any thread.
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
  drip,        // an endless header, a byte each 50 ms
  reset,       // RST after the request
  huge,        // 200 and an endless body
  late_body,   // 200 and a body that never arrives
  garbage,     // bytes that are not HTTP
};

struct WebhookDelivery {
  int64_t time_ms = 0;  // since the receiver's start
  std::chrono::steady_clock::time_point time{};
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
    std::string secret;                    // of the signatures; "": signatures do not affect the answer
    std::string log_file;                  // a line of JSON per delivery is appended; "" for none
    uint16_t port = 0;                     // 0: a free one
    std::string certificate_pem, key_pem;  // both: HTTPS
  };

  // Aborts the program when it cannot listen.
  explicit WebhookReceiver(Options options);
  ~WebhookReceiver();

  uint16_t port() const;
  std::string url(const std::string& path = "/hook") const;

  // Sets the answers to the next deliveries, in order; later ones get `usual`, initially ok.
  void answer_next(std::vector<WebhookAnswer> answers);
  void answer_always(WebhookAnswer usual);
  // Deliveries with another secret are answered 401.
  void set_secret(const std::string& secret);

  std::vector<WebhookDelivery> deliveries() const;
  // Waits for that many deliveries, at most `limit`; returns those received by then.
  std::vector<WebhookDelivery> wait_for(size_t count,
                                        std::chrono::milliseconds limit = std::chrono::seconds(60)) const;
  // The number of bytes of answers that were sent.
  uint64_t bytes_sent() const;
  // The number of connections that were accepted.
  uint64_t connections() const;

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace patchbay::test
