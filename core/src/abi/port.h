// Port: an audio port that a plugin has created.
#pragma once

#include <patchbay/abi/media.h>

#include <atomic>

#include "runtime/ref.h"
#include "runtime/strand.h"

namespace patchbay::core {

// The owner of a port or an attachment.
struct PortOwner {
  const void* id = nullptr;    // its HostContext, only compared
  const char* name = nullptr;  // an interned_name()
};

// Plugins that open the port call it through table() and self(), so that the watchdog and the crash banner
// know its owner, and a disabled port is not called any more. It ends once its owner has closed it and no
// plugin has it open.
class Port final : public RefCounted<Port> {
 public:
  Port(const pb_port* table, void* self, PortOwner owner, Ref<Strand> strand);

  const pb_port* table() const noexcept { return &shown_; }
  void* self() noexcept { return this; }
  const PortOwner& owner() const noexcept { return owner_; }

  // [any] False once closed.
  bool add_user() noexcept;
  // [any, media too]
  void remove_user() noexcept;
  // [any] Calls done(user) on the owner's strand once no plugin has it open; later calls are ignored.
  void close(CallFn done, void* user) noexcept;
  // [any] Call when its plugin ends: later calls of its functions are no-ops, and pull gives silence.
  void disable() noexcept { disabled_.store(true, std::memory_order_release); }

  // [any, not media] Call when the plugin `opener` (PortOwner::name) ends, once its callbacks have returned:
  // frames that the port would pass to it are dropped, although it has not ended that (stream_to).
  void cut_stream(const char* opener) noexcept {
    sink_opener_.compare_exchange_strong(opener, nullptr, std::memory_order_acq_rel);
  }

  // [any] The loop that ticks it, PB_LOOP_ANY for none.
  uint32_t loop() const noexcept { return loop_.load(std::memory_order_relaxed); }

 private:
  friend class RefCounted<Port>;
  ~Port() = default;
  static constexpr uint32_t kClosed = 1u << 31;
  void finish() noexcept;
  // Reports its end; allocated with the port, because the end may come on a media loop.
  struct Last : Task {
    explicit Last(Port& port) noexcept : Task(&Last::run_done), of(port) {}
    static void run_done(Task& task) noexcept;
    Port& of;
  };

  // The table that other plugins call. [media]
  static Port& of(void* self) noexcept { return *static_cast<Port*>(self); }
  static void attached(void* self, uint32_t loop) noexcept;
  static void pull(void* self, pb_frame* out) noexcept;
  static void push(void* self, const pb_frame* in) noexcept;
  static void detached(void* self) noexcept;
  static int32_t stream_to(void* self, uint32_t flags, pb_frame_fn sink, void* user) noexcept;
  static void pass_frame(void* self, const pb_frame* frame) noexcept;
  bool reachable() const noexcept { return !disabled_.load(std::memory_order_acquire); }

  const pb_port* const table_;  // the owner's, as `self_`
  void* const self_;
  const PortOwner owner_;
  const Ref<Strand> strand_;
  const pb_port shown_;
  std::atomic<uint32_t> users_{0};
  std::atomic<uint32_t> loop_{PB_LOOP_ANY};
  std::atomic<bool> disabled_{false};
  // The plugin whose sink gets the owner's frames, an interned_name(); null: no sink is open.
  std::atomic<const char*> sink_opener_{nullptr};
  pb_frame_fn sink_ = nullptr;  // [media], as the next one
  void* sink_user_ = nullptr;
  CallFn done_ = nullptr;
  void* user_ = nullptr;
  Last last_{*this};
};

}  // namespace patchbay::core
