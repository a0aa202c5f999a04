// ChildPort: a port of the plugin, driven by a media loop of this process: at the pace at which the server
// takes frames, and between ticks when the server rings.
#pragma once

#include <patchbay/abi/media.h>

#include <memory>

#include "abi/port.h"
#include "isolation/media/bell.h"
#include "isolation/media/ring.h"

namespace patchbay::core::isolation {

class ChildPort {
 public:
  ChildPort(std::unique_ptr<Ring> ring, Bell bell, Ref<Port> port)
      : ring_(std::move(ring)), bell_(std::move(bell)), port_(std::move(port)), last_(*this) {}

  // For the plugin, which may join its own port.
  const Ref<Port>& port() const noexcept { return port_; }
  void begin(void* host, const pb_media& media);
  // Call once no plugin in the server has it open. Calls done(user) on the main strand once the port is no
  // longer used, and frees itself.
  void end();

  // The arguments of the call that closes the port.
  pb_fn done = nullptr;
  void* user = nullptr;

 private:
  static void tick(void* raw, const pb_tick* tick) noexcept;
  static void on_bell(void* raw, const pb_ready* ready) noexcept;
  static void pass_frame(void* raw, const pb_frame* frame) noexcept;
  void follow(uint32_t loop) noexcept;
  void end_stream() noexcept;
  void send_early(pb_frame frame) noexcept;
  void push_received(int64_t time_ns) noexcept;
  void pull_ahead(int64_t time_ns) noexcept;
  void leave_loop() noexcept;
  void left_loop() noexcept;
  // Runs on the main strand after the last tick; a member of the port, because the media loop may not
  // allocate.
  struct Last : Task {
    explicit Last(ChildPort& port) noexcept : Task(&Last::tell), of(port) {}
    static void tell(Task& task) noexcept;
    ChildPort& of;
  };

  // owned
  const std::unique_ptr<Ring> ring_;
  Bell bell_;
  const Ref<Port> port_;
  Last last_;
  uint64_t attachment_ = 0;
  uint64_t watch_ = 0;
  // state of the media loop
  bool is_watched_ = false;
  uint32_t joined_ = 0;
  uint32_t wanted_ = 0;   // what the server has set as `streams`
  uint32_t streams_ = 0;  // the same, if the port passes frames
  int64_t last_tick_ = 0;
  int16_t pcm_[kMaxSamples];
};

}  // namespace patchbay::core::isolation
