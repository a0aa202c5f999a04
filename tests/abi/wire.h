// What lies in a frame between the two processes: numbers of this machine's order and counted strings. Both
// ends run on one machine and are built together; a frame is nevertheless read as if a stranger had written
// it.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace patchbay::isolated {

// Where not said otherwise: [to child] is sent by the core's side, [to parent] by the child host.
enum class Kind : uint32_t {
  start = 1,  // [to child] config, log levels      started: status, text
  started,
  drain,  // [to child]                             drained: status, text
  drained,
  stop,  // [to child]                              stopped: status, text
  stopped,
  answer,       // [to child] seq, value, status, text: of the requests that follow
  provide,      // [to parent] seq, tag, public, interface
  query,        // [to parent] seq, id
  open,         // [to parent] seq, handle, id
  subscribe,    // [to parent] seq, tag, pattern, tenant, queue_max, policy
  watch,        // [to parent] seq, tag, id
  port_create,  // [to parent] seq, tag, pull rate, push rate; with the ring's descriptor
  close,        // [to parent] tag: of any of these
  closed,       // [to child] tag: a port that nobody has open any more
  unlease,      // [to parent] lease
  describe,     // [to parent] interface tag, interface: for calls by it
  call,         // call, lease or tag, interface tag, slot, request
  reply,        // call, status, text, reply
  event,        // [to child] tag, event    [to parent] 0, event to publish
  watched,      // [to child] tag, up
  log,          // [to parent] level, correlation, text, count, fields
  secret,       // [to parent] 1 add or 0 forget, value
};

class Encoder {
 public:
  explicit Encoder(Kind kind) { u32(static_cast<uint32_t>(kind)); }
  Encoder& u32(uint32_t value) { return raw(&value, sizeof value); }
  Encoder& u64(uint64_t value) { return raw(&value, sizeof value); }
  Encoder& i64(int64_t value) { return raw(&value, sizeof value); }
  Encoder& f64(double value) { return raw(&value, sizeof value); }
  Encoder& str(std::string_view text) {
    u64(text.size());
    return raw(text.data(), text.size());
  }
  const std::string& frame() const noexcept { return out_; }

 private:
  Encoder& raw(const void* bytes, size_t size) {
    if (size > 0) out_.append(static_cast<const char*>(bytes), size);
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
  bool ok() const noexcept { return ok_; }

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

}  // namespace patchbay::isolated
