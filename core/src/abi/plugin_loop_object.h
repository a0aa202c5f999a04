// The watches of descriptors and the timers that plugins have on media loops: LoopWatch and LoopTimer with
// the plugin's callback, reference-counted for the tables of handles.
#pragma once

#include <patchbay/abi/media.h>

#include <atomic>
#include <utility>

#include "abi/port.h"
#include "runtime/media_loop.h"
#include "runtime/push_list.h"
#include "runtime/ref.h"
#include "runtime/task.h"
#include "runtime/thread_kind.h"

namespace patchbay::core {

// What both have. It holds a reference to itself until it was closed; free_closed() drops that, because a
// close may complete on a media loop, where nothing is freed.
template <class Object>
class PluginLoopObject : public Object, public RefCounted<PluginLoopObject<Object>> {
 public:
  template <class... A>
  explicit PluginLoopObject(const PortOwner& owner, A... arguments) : Object(arguments...), owner_(owner) {
    this->add_ref();
  }

  const PortOwner& owner() const noexcept { return owner_; }
  // [any] From now on it does not call the plugin.
  void suppress() noexcept { suppressed_.store(true, std::memory_order_release); }

  // [any, media too] LoopObject::close(), then done(user); `done` may be null. Call it once.
  void close(CallFn done, void* user) noexcept {
    done_ = done;
    done_user_ = user;
    Object::close();
  }

  // [any, not media] Drops the references of closed objects.
  static void free_closed() noexcept {
    PluginLoopObject* object = all_closed().take();
    while (object != nullptr) std::exchange(object, object->next_closed_)->release();
  }

 protected:
  // Runs f() as a callback of the plugin, unless that is suppressed.
  template <class F>
  void call_plugin(const char* what, F f) noexcept {
    if (suppressed_.load(std::memory_order_acquire)) return;
    const OwnerScope scope(owner_.name);
    const CallbackScope callback(what);
    f();
  }
  bool is_suppressed() const noexcept { return suppressed_.load(std::memory_order_acquire); }

 private:
  void closed() noexcept override {
    if (done_ != nullptr) {
      const OwnerScope scope(owner_.name);
      const SpareCall::Use use(spare_);
      done_(done_user_);
    }
    all_closed().push(*this);
  }

  // Shared by all registries, because a last call may end after its registry was destroyed.
  static auto& all_closed() noexcept {
    static auto& list = *new PushList<PluginLoopObject, &PluginLoopObject::next_closed_>;
    return list;
  }

  const PortOwner owner_;
  std::atomic<bool> suppressed_{false};
  CallFn done_ = nullptr;
  void* done_user_ = nullptr;
  SpareCall spare_;  // for what `done` posts
  PluginLoopObject* next_closed_ = nullptr;
};

class PluginWatch final : public PluginLoopObject<LoopWatch> {
 public:
  PluginWatch(const PortOwner& owner, int fd, pb_ready_fn fn, void* user)
      : PluginLoopObject(owner, fd), fn_(fn), user_(user) {}

 private:
  void ready(uint32_t events, int64_t now_ns) noexcept override {
    MediaLoop& loop = *MediaLoop::current();
    // It would be reported for ever, as the plugin does not read any more.
    if (is_suppressed()) static_cast<void>(loop.watch(*this, 0));
    call_plugin("descriptor", [&] {
      const pb_ready ready{sizeof(pb_ready), events, loop.index(), fd(), now_ns};
      fn_(user_, &ready);
    });
  }

  const pb_ready_fn fn_;
  void* const user_;
};
static_assert(LoopWatch::kReadable == PB_READY_READ && LoopWatch::kWritable == PB_READY_WRITE &&
              LoopWatch::kFailed == PB_READY_ERROR);

class PluginTimer final : public PluginLoopObject<LoopTimer> {
 public:
  PluginTimer(const PortOwner& owner, pb_tick_fn fn, void* user)
      : PluginLoopObject(owner), fn_(fn), user_(user) {}

 private:
  void due(uint64_t tick_no, int64_t now_ns) noexcept override {
    call_plugin("media timer", [&] {
      const pb_tick tick{sizeof(pb_tick), MediaLoop::current()->index(), static_cast<int64_t>(tick_no),
                         now_ns};
      fn_(user_, &tick);
    });
  }

  const pb_tick_fn fn_;
  void* const user_;
};

}  // namespace patchbay::core
