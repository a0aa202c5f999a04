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
    Response response;  // of send: its body
    enum class Kind { answer, proceed, send, close, drop_body } kind = Kind::answer;
  };

  // `wake` is called under the lock, from any thread, when the box stops being empty; not after shut().
  explicit Mailbox(std::function<void()> wake) : wake_(std::move(wake)) {}

  void deliver(uint64_t connection, uint64_t slot, Response response) noexcept override;
  void proceed(uint64_t connection) noexcept override;
  void send(uint64_t connection, std::string bytes) noexcept override;
  void close(uint64_t connection) noexcept override;
  void drop_body(uint64_t connection) noexcept override;
  std::vector<Letter> take();
  void shut();

  // [the edge thread] While a handler runs, its own answer skips the box: `direct` gets it instead.
  class Direct {
   public:
    using Sink = std::function<void(Letter letter)>;
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
  void put(Letter letter) noexcept;

  std::function<void()> wake_;
  std::mutex mutex_;
  bool shut_ = false;
  std::vector<Letter> letters_;
};

}  // namespace patchbay::rest_api
