// The way back: answers from any thread to the connections of one edge thread. Connections are named by
// numbers that are never used again, so an answer cannot reach a client that came later; one for a connection
// that is gone is dropped.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "exchange.h"

namespace patchbay::rest_api {

class Mailbox final : public ReplyPort {
 public:
  struct Letter {
    uint64_t connection = 0;
    uint64_t slot = 0;
    Response response;
  };

  // `wake` is called under the lock, from any thread, when the box stops being empty; not after close().
  explicit Mailbox(std::function<void()> wake) : wake_(std::move(wake)) {}

  void deliver(uint64_t connection, uint64_t slot, Response response) noexcept override;
  std::vector<Letter> take();
  void close();

  // [the edge thread] While a handler runs, its own answer skips the box: `direct` gets it instead.
  class Direct {
   public:
    using Sink = std::function<void(uint64_t connection, uint64_t slot, Response response)>;
    Direct(const Mailbox& box, uint64_t connection, const Sink& sink);
    ~Direct();
    Direct(const Direct&) = delete;
    Direct& operator=(const Direct&) = delete;

   private:
    friend class Mailbox;
    const Mailbox* box_;
    uint64_t connection_;
    const Sink& sink_;
    Direct* outer_;
  };

 private:
  std::function<void()> wake_;
  std::mutex mutex_;
  bool closed_ = false;
  std::vector<Letter> letters_;
};

}  // namespace patchbay::rest_api
