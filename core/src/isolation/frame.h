// Frames between the two processes: numbers in this machine's byte order, and strings with their length. Both
// ends run on one machine and are built together; the server nevertheless treats a child's frame as untrusted
// input.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace patchbay::core::isolation {

// [to child] marks frames that the server sends, [to parent] those that the child's program sends; a mark in
// a heading holds for the frames below it. `number` is the child's number of a request or registration;
// `handle` the server's number of an object. A new kind goes to the end: the seeds of the fuzz target hold
// these numbers.
enum class Kind : uint32_t {
  large = 0,  // size; the frame itself is in the descriptor that comes along
  // Life. Every command of the server is answered by its own kind: status, text.
  start,  // [to child] config, log levels, epoch
  started,
  create,  // [to child] as start: the plugin is created, and not started
  created,
  check,  // [to child] config
  checked,
  reconfigure,  // [to child] config
  reconfigured,
  drain,
  drained,
  stop,
  stopped,
  flush,  // [to child] answered once what was queued before has run
  flushed,
  ping,  // [to child] answered once every strand and every media loop of the plugin has run a task
  pong,
  // Functions of the host (call_wire.h).
  host_call,  // [to parent] number (0: no answer is wanted), function, arguments
  answer,     // [to child] number, value, status, text
  callback,   // [to child] number, arguments: of a registration
  result,     // [to child] number, arguments: the one callback of a question
  // Services: messages in the form that their interface describes.
  provide,   // [to parent] number, public, interface
  describe,  // [to parent] interface number, interface: for calls by it
  call,   // number, then [to parent] lease, interface number, or [to child] number of the provision, caller;
          // slot, request
  reply,  // number, status, text, reply
  // Transactions, which the child builds [to parent].
  tx_share,  // tx: it is passed to another plugin; its operations follow
  tx_add,    // tx, operations
  discard,   // tx
  commit,    // number, tx (0: the operations are all of it), operations; answered by a result
  // Audio ports.
  port_create,  // [to parent] number, pull rate, push rate, push flags, has stream_to; with the bell's
                // descriptor
  port_closed,  // [to child] number: no plugin has it open any more
  // Secrets and metrics [to parent].
  secret,        // 1: add, 0: forget; value
  metric,        // metric, kind, name, help, count, labels
  metric_values  // count, then each: metric, counter's step or gauge's value, count, a histogram's steps
};

// Set in the numbers of transactions that the child has begun; the server's handles never have it.
constexpr uint64_t kBegunByChild = uint64_t{1} << 63;

class Encoder {
 public:
  Encoder() = default;
  explicit Encoder(Kind kind) { u32(static_cast<uint32_t>(kind)); }
  Encoder& u32(uint32_t value) { return raw(&value, sizeof value); }
  Encoder& u64(uint64_t value) { return raw(&value, sizeof value); }
  Encoder& i64(int64_t value) { return raw(&value, sizeof value); }
  Encoder& f64(double value) { return raw(&value, sizeof value); }
  Encoder& str(std::string_view text) {
    u64(text.size());
    return bytes(text);
  }
  // Appends what another encoder has written.
  Encoder& bytes(std::string_view text) { return raw(text.data(), text.size()); }
  const std::string& frame() const noexcept { return out_; }
  std::string take() { return std::move(out_); }

 private:
  Encoder& raw(const void* from, size_t size) {
    if (size > 0) out_.append(static_cast<const char*>(from), size);
    return *this;
  }
  std::string out_;
};

// Borrows the frame. Reading past its end gives zeroes, and ok() is false from then on.
class Decoder {
 public:
  explicit Decoder(std::string_view frame) : in_(frame) {}
  Kind kind() { return static_cast<Kind>(u32()); }
  uint32_t u32() { return number<uint32_t>(); }
  uint64_t u64() { return number<uint64_t>(); }
  int64_t i64() { return number<int64_t>(); }
  double f64() { return number<double>(); }
  std::string_view str() { return take(u64()); }
  // PB_OK or one of PB_E_*.
  int32_t status() {
    const auto code = static_cast<int32_t>(u32());
    if (code > 0 || code < -64) ok_ = false;
    return ok_ ? code : -1;
  }
  bool ok() const noexcept { return ok_; }
  // The frame was complete, and is read to its end.
  bool whole() const noexcept { return ok_ && in_.empty(); }
  size_t left() const noexcept { return in_.size(); }
  void fail() noexcept { ok_ = false; }

 private:
  template <class T>
  T number() {
    T value{};
    const std::string_view bytes = take(sizeof value);
    if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string_view take(uint64_t size) {
    if (!ok_ || size > in_.size()) {
      ok_ = false;
      return {};
    }
    const std::string_view bytes = in_.substr(0, size);
    in_.remove_prefix(size);
    return bytes;
  }
  std::string_view in_;
  bool ok_ = true;
};

}  // namespace patchbay::core::isolation
