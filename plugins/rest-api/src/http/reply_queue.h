// ReplyQueue: takes replies and other commands from any thread to the connections of one server thread. It
// names connections by numbers that are never reused, so a reply cannot reach another client; those for
// closed connections are dropped.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "exchange.h"

namespace patchbay::rest_api {

class ReplyQueue final : public ReplyPort {
 public:
  struct Command {
    uint64_t connection = 0;
    uint64_t slot = 0;
    Response response;
    enum class Kind { answer, proceed, wake, close, drop_body, drop_reader } kind = Kind::answer;
  };

  // Calls `wake` under its lock, from any thread, when the queue stops being empty; not after stop().
  explicit ReplyQueue(std::function<void()> wake) : wake_(std::move(wake)) {}

  void deliver(uint64_t connection, uint64_t slot, Response response) noexcept override;
  void proceed(uint64_t connection) noexcept override;
  void wake(uint64_t connection) noexcept override;
  void close(uint64_t connection) noexcept override;
  void drop_body(uint64_t connection) noexcept override;
  void drop_reader(uint64_t connection) noexcept override;
  std::vector<Command> take();
  void stop();

  // [server thread] While it exists, commands of this thread for `connection` go to `sink` at once, so that
  // the reply of a running handler is not queued. They are queued if `sink` returns false.
  class Inline {
   public:
    using Sink = std::function<bool(Command& command)>;
    Inline(const ReplyQueue& queue, uint64_t connection, const Sink& sink);
    ~Inline();
    Inline(const Inline&) = delete;
    Inline& operator=(const Inline&) = delete;

   private:
    friend class ReplyQueue;
    const ReplyQueue* queue_;
    uint64_t connection_;
    const Sink& sink_;
    Inline* outer_;
  };

 private:
  void put(Command command) noexcept;
  void push(Command command) noexcept;

  std::function<void()> wake_;
  std::mutex mutex_;
  bool stopped_ = false;
  std::vector<Command> commands_;
};

}  // namespace patchbay::rest_api
