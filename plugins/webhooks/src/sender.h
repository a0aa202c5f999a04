// Posts deliveries: a thread of its own, on which libcurl carries any number of requests at once.
#pragma once

#include <patchbay/function.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace patchbay::webhooks {

struct Post {
  std::string url;                   // passed check_receiver_url
  std::vector<std::string> headers;  // "Name: value"
  std::string body;
  std::string ca_file;         // trusted beside the system's; "" for none
  bool allow_private = false;  // connect to addresses that are not public, too
};

struct Outcome {
  bool delivered = false;  // a 2xx, whatever became of the rest of the answer
  int64_t status = 0;      // of the answer; 0 when there was none
  std::string error;       // one phrase, fit for the tenant; "" when delivered
};

class Sender {
 public:
  struct Limits {
    int64_t timeout_ms = 10'000;     // for the whole exchange, name lookup included; by the real clock
    size_t answer_bytes = 64 << 10;  // read of an answer, head and body
  };
  using Done = Function<void(Outcome)>;

  Sender();
  explicit Sender(Limits limits);
  // Ends what is under way, without calling its `done`, and joins the thread.
  ~Sender();
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  // [any] done() is called once, on the sender's thread; it must be quick.
  void send(Post post, Done done);

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace patchbay::webhooks
