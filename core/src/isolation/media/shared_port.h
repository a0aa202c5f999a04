// A port of the child as the server offers it: pull and push touch the shared ring, and the bell if the child
// takes or passes frames between ticks.
#pragma once

#include <patchbay/host.h>

#include <atomic>
#include <memory>

#include "isolation/media/bell.h"
#include "isolation/media/ring.h"

namespace patchbay::core::isolation {

// What a child says of its port.
struct PortKind {
  uint32_t pull_rate_hz = 0;
  uint32_t push_rate_hz = 0;
  uint32_t push_flags = 0;  // PB_PORT_*
  bool can_stream = false;  // has stream_to
};

// Lives until its port is closed and no plugin has it open.
class SharedPort {
 public:
  SharedPort(const Host& host, std::unique_ptr<Ring> ring, Bell bell, const PortKind& kind);
  SharedPort(const SharedPort&) = delete;
  SharedPort& operator=(const SharedPort&) = delete;

  // Creates the port and returns its handle.
  uint64_t open() { return host_.media->port_create(host_.self, &table_, this); }
  // [strand main] The child is not listened to any more. Call before the port is closed.
  void close_bell();
  // Frees it once no media loop calls it any more. Call when the port is closed, or could not be created.
  static void end(std::unique_ptr<SharedPort> port);

 private:
  static SharedPort& of(void* self) noexcept { return *static_cast<SharedPort*>(self); }
  static void attached(void* self, uint32_t loop) noexcept;
  static void pull(void* self, pb_frame* out) noexcept;
  static void push(void* self, const pb_frame* in) noexcept;
  static void detached(void* self) noexcept;
  static int32_t stream_to(void* self, uint32_t flags, pb_frame_fn sink, void* user) noexcept;
  static void on_bell(void* self, const pb_ready* ready) noexcept;
  void listen(bool on) noexcept;
  static void release(void* self) noexcept;
  void pass_frames(int64_t tick, int64_t time_ns) noexcept;
  SharedAudio& shared() noexcept { return ring_->shared(); }

  // borrowed
  const Host& host_;
  // owned
  const std::unique_ptr<Ring> ring_;
  Bell bell_;
  const pb_port table_;
  uint64_t watch_ = 0;
  bool is_bell_closed_ = false;
  std::atomic<int> uses_{1};  // by the port and by the watch
  // state of the media loop
  pb_frame_fn sink_ = nullptr;  // with the next two: of stream_to
  void* sink_user_ = nullptr;
  uint32_t sink_flags_ = 0;
  bool is_ahead_ = false;  // an early frame was passed since pull returned silence
  bool is_listening_ = false;
  int bells_ = 0;  // since the latest tick, as the next one
  uint32_t passed_ = 0;
  int64_t last_tick_ = 0;
  int16_t pcm_[kMaxSamples];
};

}  // namespace patchbay::core::isolation
