// What lies in a frame between the two processes: numbers of this machine's order and counted strings. Both
// ends run on one machine and are built together; a frame of the child is nevertheless read as if a stranger
// had written it.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace patchbay::core::isolation {

// Where not said otherwise: [to child] is sent by the server, [to parent] by the program of the child.
// `seq` is a number under which the child waits for an `answer`; `number` one under which it does not wait;
// `tag` names what the child keeps: an instance, a subscription, a port. A new kind goes to the end: the
// seeds of the fuzz target hold these numbers.
enum class Kind : uint32_t {
  large = 0,  // size; the frame itself lies in the descriptor that comes along
  // Life. Every command of the server is answered by its own kind: status, text.
  start,  // [to child] config, log levels, epoch
  started,
  make,  // [to child] as start: the plugin is created, and not started
  made,
  check,  // [to child] config
  checked,
  reconfigure,  // [to child] config
  reconfigured,
  drain,
  drained,
  stop,
  stopped,
  // Requests [to parent], each beginning with seq.
  answer,       // [to child] seq, value, status, text
  provide,      // tag, public, interface
  query,        // id
  open,         // handle, id
  subscribe,    // tag, pattern, tenant, queue_max, policy
  watch,        // tag, id
  port_create,  // tag, pull rate, push rate; with the ring's descriptor
  statement,    // name
  job_worker,   // tag, kind, concurrency, lease_ms
  consumer,     // tag, name, patterns
  seal,         // text, context
  unseal,       // text, context
  report,       // what
  // What was made by them.
  close,    // [to parent] tag
  closed,   // [to child] tag: a port that nobody has open any more
  unlease,  // [to parent] lease
  // Services.
  describe,  // [to parent] interface tag, interface: for calls by it
  call,      // call, lease or tag, interface tag (to the child: the plugin that calls), slot, request
  reply,     // call, status, text, reply
  watched,   // [to child] tag, up
  // Bus.
  event,  // [to child] tag, event    [to parent] 0, event to publish
  // Store.
  read,       // [to parent] number, statement, values
  rows,       // [to child] number, status, text, rows
  tx_share,   // [to parent] tx: one that the child made is handed to somebody; its operations follow
  tx_add,     // [to parent] tx, operations
  discard,    // [to parent] tx
  commit,     // [to parent] number, tx (0: the operations are all of it), operations
  committed,  // [to child] number, outcome
  job,        // [to child] tag, job
  wake,       // [to child] tag
  pending,    // [to parent] number, tag, limit
  events,     // [to child] number, status, events
  // Observation [to parent].
  log,      // level, correlation, text, count, fields
  secret,   // 1 add or 0 forget, value
  metric,   // metric, kind, name, help, count, labels
  figures,  // count, then each: metric, counter's step or gauge's value, count, a histogram's steps
  // Life again.
  pass,  // [to child] answered once what was queued before has run
  passed,
  // Services again.
  watch_end,  // [to parent] seq, tag, handle
  ended,      // [to child] tag: what it watches has
  // Life once more.
  alive,  // [to child] answered once every strand and every media loop of the plugin has come by
  lives
};

// Numbers of transactions that the child has made itself have this bit; the server's numbers never do.
constexpr uint64_t kMadeByChild = uint64_t{1} << 63;

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
  // What another encoder has written.
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
  // Everything was there, and nothing more.
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
