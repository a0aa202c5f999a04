// MediaRegistry: attachments to the media loops and the audio ports of all plugins, by handle.
#pragma once

#include <patchbay/abi/media.h>

#include <atomic>
#include <vector>

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

  // [control] Suppresses the owner's ticks and the calls of its ports: none is made any more once each loop
  // has been flushed (flush_loop()). True: the owner has some.
  bool suppress_callbacks(const void* owner);
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
  SlotTable<Attachment*> attachments_;
  SlotTable<Ref<Port>> ports_;
  SlotTable<Opening> openings_;
};

}  // namespace patchbay::core
