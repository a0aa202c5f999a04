// StreamOutput: what waits for the client of a stream. Any thread puts, the server thread takes. Its size is
// bounded, and what was not passed to the connection yet can be dropped.
#pragma once

#include <patchbay/buffer.h>
#include <patchbay/result.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "exchange.h"
#include "output_queue.h"

namespace patchbay::rest_api {

class StreamOutput {
 public:
  // [any thread] Called with the unsent octets, or Code::gone.
  using Flushed = std::function<void(Result<size_t>)>;

  StreamOutput(StreamWriter writer, size_t max_unsent)
      : writer_(std::move(writer)), max_unsent_(max_unsent) {}

  // [any thread] Appends `head`, `body` and `tail`, and returns how much is unsent. Code::exhausted: it would
  // be more than `max_unsent`; nothing was appended. Code::gone: after end().
  Result<size_t> put(std::string head, Buffer body = {}, std::string tail = {});
  // [any thread] Appends the last octets; instead of what waits, if `drops`. False: it has ended already.
  bool end(std::string last, bool drops = false);
  size_t unsent() const;
  // [any thread] Calls `done` once at most a quarter of `max_unsent` is unsent, perhaps before it returns.
  void flush(Flushed done);
  // [any thread] Has the server thread look at the stream.
  void wake() const noexcept { writer_.wake(); }

  // [server thread] These four.
  void write_to(OutputQueue& output);
  void on_unsent(size_t octets);
  // Whether it has ended and nothing waits.
  bool is_done() const;
  // The connection is closed: drops what waits.
  void close();

 private:
  struct Piece {
    std::string head;
    Buffer body;
    std::string tail;
    size_t octets() const noexcept { return head.size() + body.size() + tail.size(); }
  };
  void append(Piece piece);
  void report(std::unique_lock<std::mutex> lock);

  // Borrowed.
  const StreamWriter writer_;
  const size_t max_unsent_;
  // Owned; guarded by mutex_.
  mutable std::mutex mutex_;
  std::deque<Piece> pieces_;
  std::vector<Flushed> flushing_;
  // State; guarded by mutex_.
  size_t waiting_ = 0;        // octets of pieces_
  size_t in_connection_ = 0;  // octets that were moved and are unsent
  bool woken_ = false;        // the server thread will take what waits
  bool ended_ = false;
};

}  // namespace patchbay::rest_api
