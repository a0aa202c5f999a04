// Audio ports and media ticks as C++ sees them. See abi/media.h: everything [media] must not allocate, lock
// or log.
#pragma once

#include "host.h"
#include "message.h"

namespace patchbay {

// One side of an audio stream, pulled from and pushed to every 20 ms. Keep the object alive until close() has
// called back.
class AudioPort {
 public:
  AudioPort() = default;
  AudioPort(const AudioPort&) = delete;
  AudioPort& operator=(const AudioPort&) = delete;
  virtual ~AudioPort() = default;

  virtual uint32_t pull_rate_hz() const noexcept = 0;   // of what pull() gives; 0: nothing
  virtual uint32_t push_rate_hz() const noexcept = 0;   // of what push() takes; 0: nothing
  virtual void attached(uint32_t /*loop*/) noexcept {}  // [media]
  virtual void pull(pb_frame& out) noexcept = 0;        // [media]
  virtual void push(const pb_frame& in) noexcept = 0;   // [media]
  virtual void detached() noexcept {}                   // [media]

  // [any] Makes the port known; the handle may be passed on.
  Handle open(const Host& host) {
    host_ = &host;
    table_ = pb_port{sizeof(pb_port), pull_rate_hz(), push_rate_hz(), 0,
                     &on_attached,    &on_pull,       &on_push,       &on_detached};
    id_ = host.media->port_create(host.self, &table_, this);
    return {id_};
  }
  Handle handle() const noexcept { return {id_}; }
  // [any] done() on the main strand, once nobody uses the port: then it may be destroyed.
  template <class F>
  void close(F done) {
    if (id_ == 0) return;
    auto* task = new OneShot<F>{*host_, "port close", std::move(done)};
    host_->media->port_close(host_->self, std::exchange(id_, 0), &OneShot<F>::run, task);
  }

 private:
  static AudioPort& of(void* self) noexcept { return *static_cast<AudioPort*>(self); }
  static void on_attached(void* self, uint32_t loop) noexcept { of(self).attached(loop); }
  static void on_pull(void* self, pb_frame* out) noexcept { of(self).pull(*out); }
  static void on_push(void* self, const pb_frame* in) noexcept { of(self).push(*in); }
  static void on_detached(void* self) noexcept { of(self).detached(); }

  const Host* host_ = nullptr;
  pb_port table_{};
  uint64_t id_ = 0;
};

}  // namespace patchbay
