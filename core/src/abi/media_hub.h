// MediaHub: attachments to the media loops and the audio ports of all plugins, by handle.
#pragma once

#include <patchbay/abi/media.h>

#include <memory>

#include "abi/port.h"
#include "runtime/media_pool.h"
#include "services/handle_map.h"

namespace patchbay::core {

class MediaHub {
 public:
  explicit MediaHub(MediaPool& pool) : pool_(pool) {}

  uint32_t loops() const noexcept { return static_cast<uint32_t>(pool_.size()); }
  // [any] 0 when there is no such loop.
  uint64_t attach(uint32_t loop, pb_tick_fn fn, void* user);
  // [any] [media] done(user) on the loop's thread after the last tick.
  void detach(uint64_t attachment, CallFn done, void* user);

  HandleMap<Ref<Port>>& ports() noexcept { return ports_; }
  HandleMap<Ref<Port>>& openings() noexcept { return openings_; }

 private:
  struct Attachment {
    pb_tick_fn fn = nullptr;
    void* user = nullptr;
    uint32_t loop = 0;
    AttachId id = 0;
    CallFn done = nullptr;
    void* done_user = nullptr;
    std::shared_ptr<Attachment> self;  // while the loop may still tick it
  };
  static void tick(void* self, uint64_t number, int64_t now_ns);
  static void detached(void* self);

  MediaPool& pool_;
  HandleMap<std::shared_ptr<Attachment>> attachments_;  // shared with the loop
  HandleMap<Ref<Port>> ports_;
  HandleMap<Ref<Port>> openings_;
};

}  // namespace patchbay::core
