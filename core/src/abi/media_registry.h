// MediaRegistry: what all plugins have on the media loops, by handle: attachments, watches, timers, audio
// ports.
#pragma once

#include <patchbay/abi/media.h>

#include <utility>
#include <vector>

#include "abi/plugin_loop_object.h"
#include "abi/port.h"
#include "runtime/media_pool.h"
#include "runtime/slot_table.h"

namespace patchbay::core {

class MediaRegistry {
 public:
  explicit MediaRegistry(MediaPool& pool) : pool_(pool) {}
  // Call once no plugin is left.
  ~MediaRegistry();
  MediaRegistry(const MediaRegistry&) = delete;
  MediaRegistry& operator=(const MediaRegistry&) = delete;

  uint32_t loops() const noexcept { return static_cast<uint32_t>(pool_.size()); }
  // [any] 0 when there is no such loop.
  uint64_t attach(const PortOwner& owner, uint32_t loop, pb_tick_fn fn, void* user);
  // [any, media too] Calls done(user) on the loop's thread after the last tick. False: the owner has no such
  // attachment.
  bool detach(const void* owner, uint64_t attachment, CallFn done, void* user) noexcept;

  // [any, media too] Runs fn(user) on the loop's thread. not_found, exhausted, gone: MediaLoop::post().
  Code post(LoopPosts& posts, uint32_t loop, CallFn fn, void* user) noexcept;

  // [any] The handles of a watch and a timer that are on no loop yet; 0 when the table is full.
  uint64_t open_watch(const PortOwner& owner, int fd, pb_ready_fn fn, void* user);
  uint64_t open_timer(const PortOwner& owner, pb_tick_fn fn, void* user);
  // [any, media too] As MediaLoop::watch() and set_timer() on the loop that runs. misuse: this thread is
  // none.
  Code set_watch(const void* owner, uint64_t watch, uint32_t events) noexcept;
  Code set_timer(const void* owner, uint64_t timer, int64_t due_ns) noexcept;
  // [any, media too] Calls done(user) as LoopObject::close() does. False: the owner has no such watch or
  // timer.
  bool close_watch(const void* owner, uint64_t watch, CallFn done, void* user) noexcept;
  bool close_timer(const void* owner, uint64_t timer, CallFn done, void* user) noexcept;

  // [any] Returns the handle; 0 when the table is full.
  uint64_t add_port(Ref<Port> port) { return ports_.add(std::move(port)); }
  // [any] Null when it was closed.
  Ref<Port> port(uint64_t handle) const { return ports_.find(handle); }
  // [any] Null when the owner has no such port.
  Ref<Port> take_port(const void* owner, uint64_t handle);
  // [any] Opens the port and returns the opening; 0 when the port is closed.
  uint64_t open(const void* opener, Ref<Port> port);
  // [any, media too] False: the opener has no such opening.
  bool release(const void* opener, uint64_t opening) noexcept;

  // [control] The handles that the owner holds.
  std::vector<uint64_t> attachments_of(const void* owner) const;
  std::vector<uint64_t> ports_of(const void* owner) const;
  std::vector<uint64_t> openings_of(const void* opener) const;
  std::vector<uint64_t> watches_of(const void* owner) const { return handles_of(watches_, owner); }
  std::vector<uint64_t> timers_of(const void* owner) const { return handles_of(timers_, owner); }

  // [control] Suppresses the owner's ticks, watches, timers and the calls of its ports: none is made any more
  // once each loop has been flushed (flush_loop()), which is also needed for those that are closed already.
  void suppress_callbacks(const void* owner);
  // [control] Port::cut_stream() of all ports.
  void cut_streams(const char* opener);
  // [any, not media] Calls fn(user) once the callbacks that run on the loop now have returned: on `strand`,
  // or on the loop's thread if that is null.
  void flush_loop(uint32_t loop, CallFn fn, void* user, Strand* strand = nullptr);

  // [any] Counts the open ports that this loop pulls from and pushes to.
  int64_t ports_on(uint32_t loop) const noexcept;
  size_t ports() const noexcept { return ports_.size(); }
  MediaPool& pool() const noexcept { return pool_; }

 private:
  struct Attachment;
  struct Opening {
    const void* opener = nullptr;
    Ref<Port> port;
  };
  static void tick(void* self, uint64_t number, int64_t now_ns);
  static void detached(void* self);
  static void free_retired();

  MediaPool& pool_;
  template <class Object>
  static std::vector<uint64_t> handles_of(const SlotTable<Ref<Object>>& table, const void* owner) {
    std::vector<uint64_t> held;
    for (const auto& [handle, object] : table.all())
      if (object->owner().id == owner) held.push_back(handle);
    return held;
  }

  SlotTable<Attachment*> attachments_;
  SlotTable<Ref<PluginWatch>> watches_;
  SlotTable<Ref<PluginTimer>> timers_;
  SlotTable<Ref<Port>> ports_;
  SlotTable<Opening> openings_;
};

}  // namespace patchbay::core
