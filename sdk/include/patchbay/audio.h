// Audio ports in C++. See abi/media.h: functions tagged [media] must not allocate, lock or log.
#pragma once

#include "host.h"
#include "message.h"
#include "strand.h"

namespace patchbay {

// PB_PORT_*: when push of a port may be called besides once per tick. A table of an older core has no flags.
inline uint32_t push_flags_of(const pb_port& port) noexcept {
  return port.size >= PB_END_OF_(&port, push_flags) ? port.push_flags : 0;
}

// Where a port may pass frames between ticks (pb_port.stream_to).
struct FrameSink {
  uint32_t flags = 0;  // PB_PORT_*: what it accepts
  pb_frame_fn fn = nullptr;
  void* user = nullptr;
  explicit operator bool() const noexcept { return fn != nullptr; }
  void operator()(const pb_frame& frame) const noexcept { fn(user, &frame); }
};

// One side of an audio stream, pulled from and pushed to every 20 ms. The object must live until close() has
// called done().
class AudioPort {
 public:
  AudioPort() = default;
  AudioPort(const AudioPort&) = delete;
  AudioPort& operator=(const AudioPort&) = delete;
  virtual ~AudioPort() = default;

  virtual uint32_t pull_rate_hz() const noexcept = 0;  // 0: pull() is not used
  virtual uint32_t push_rate_hz() const noexcept = 0;  // 0: push() is not used
  // PB_PORT_*: when push() may be called besides once per tick.
  virtual uint32_t push_flags() const noexcept { return 0; }
  // [media] If one of these throws, that is logged once; from then on the port produces silence and ignores
  // what is pushed.
  virtual void attached(uint32_t /*loop*/) {}
  virtual void pull(pb_frame& out) = 0;
  virtual void push(const pb_frame& in) = 0;
  virtual void detached() {}
  // [media] See pb_port.stream_to; an empty sink ends it.
  virtual bool stream_to(const FrameSink& /*sink*/) { return false; }

  // [any] Registers the port; the handle may be passed to other plugins.
  Handle open(const Host& host) {
    host_ = &host;
    table_ = pb_port{sizeof(pb_port), pull_rate_hz(), push_rate_hz(), 0, &on_attached, &on_pull, &on_push,
                     &on_detached,    &on_stream_to,  push_flags(),   0};
    id_ = host.media->port_create(host.self, &table_, this);
    return {id_};
  }
  Handle handle() const noexcept { return {id_}; }
  // [any] Calls done() on the main strand once the port is no longer in use and may be destroyed, also when
  // the host refused to open it or it is closed already. For a port that was never opened, calls done() at
  // once.
  template <class F>
  void close(F done) {
    if (host_ == nullptr) return done();
    if (id_ == 0) return post(*host_, kMainStrand, std::move(done));
    auto* task = new OneShot<F>{*host_, "port close", std::move(done)};
    host_->media->port_close(host_->self, std::exchange(id_, 0), &OneShot<F>::run, task);
  }

 private:
  template <class F>
  static void run(void* self, F f) noexcept {
    auto* port = static_cast<AudioPort*>(self);
    if (port->broken_) return;
    guard_void([&] { f(*port); },
               [&](const char* text) {
                 port->broken_ = true;
                 port->host_->log_thrown("audio port", text);
               });
  }
  static void on_attached(void* self, uint32_t loop) noexcept {
    run(self, [&](AudioPort& port) { port.attached(loop); });
  }
  static void on_pull(void* self, pb_frame* out) noexcept {
    run(self, [&](AudioPort& port) { port.pull(*out); });
    if (static_cast<AudioPort*>(self)->broken_) {
      out->samples = 0;
      out->flags |= PB_FRAME_SILENCE;
    }
  }
  static void on_push(void* self, const pb_frame* in) noexcept {
    run(self, [&](AudioPort& port) { port.push(*in); });
  }
  static void on_detached(void* self) noexcept {
    run(self, [](AudioPort& port) { port.detached(); });
  }
  static int32_t on_stream_to(void* self, uint32_t flags, pb_frame_fn sink, void* user) noexcept {
    bool streams = false;
    run(self, [&](AudioPort& port) { streams = port.stream_to({flags, sink, user}); });
    return streams ? 1 : 0;
  }

  const Host* host_ = nullptr;
  pb_port table_{};
  uint64_t id_ = 0;
  bool broken_ = false;  // [media]; needs no lock, because a stream is never on two threads at once
};

}  // namespace patchbay
