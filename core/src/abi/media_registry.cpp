#include "abi/media_registry.h"

#include <utility>

#include "runtime/thread_kind.h"

namespace patchbay::core {

// Allocated off the loops, detached on one: freed by the next attach().
struct MediaRegistry::Attachment {
  pb_tick_fn fn = nullptr;
  void* user = nullptr;
  PortOwner owner;
  uint32_t loop = 0;
  AttachId id = 0;
  std::atomic<bool> suppressed{false};
  CallFn done = nullptr;
  void* done_user = nullptr;
  SpareCall spare;  // for what `done` posts
  Attachment* next_retired = nullptr;

  // Shared by all hubs, because the last tick of an attachment may end after its hub was destroyed.
  static PushList<Attachment, &Attachment::next_retired>& retired() noexcept {
    static auto& list = *new PushList<Attachment, &Attachment::next_retired>;
    return list;
  }
};

void MediaRegistry::free_retired() {
  PluginWatch::free_closed();
  PluginTimer::free_closed();
  Attachment* attachment = Attachment::retired().take();
  while (attachment != nullptr) delete std::exchange(attachment, attachment->next_retired);
}

MediaRegistry::~MediaRegistry() {
  for (const auto& [handle, attachment] : attachments_.all())
    detach(attachment->owner.id, handle, nullptr, nullptr);
  for (const auto& [handle, watch] : watches_.all()) close_watch(watch->owner().id, handle, nullptr, nullptr);
  for (const auto& [handle, timer] : timers_.all()) close_timer(timer->owner().id, handle, nullptr, nullptr);
  free_retired();
}

uint64_t MediaRegistry::attach(const PortOwner& owner, uint32_t loop, pb_tick_fn fn, void* user) {
  if (fn == nullptr || (loop != PB_LOOP_ANY && loop >= loops())) return 0;
  free_retired();
  MediaLoop* target = loop == PB_LOOP_ANY ? &pool_.least_loaded() : &pool_.at(loop);
  auto* attachment = new Attachment;
  attachment->fn = fn;
  attachment->user = user;
  attachment->owner = owner;
  attachment->loop = target->index();
  attachment->id = target->attach(&MediaRegistry::tick, attachment);
  return attachments_.add(attachment);
}

bool MediaRegistry::detach(const void* owner, uint64_t handle, CallFn done, void* user) noexcept {
  Attachment* attachment = nullptr;
  if (const auto held = attachments_.pin(handle); !held || (*held)->owner.id != owner) return false;
  if (const auto taken = attachments_.take_pinned(handle)) attachment = *taken;
  if (attachment == nullptr) return false;
  attachment->done = done;
  attachment->done_user = user;
  static_cast<void>(
      pool_.at(attachment->loop).detach(attachment->id, nullptr, &MediaRegistry::detached, attachment));
  return true;
}

void MediaRegistry::tick(void* self, uint64_t number, int64_t now_ns) {
  auto* attachment = static_cast<Attachment*>(self);
  if (attachment->suppressed.load(std::memory_order_acquire)) return;
  const OwnerScope scope(attachment->owner.name);
  const CallbackScope what("tick");
  const pb_tick tick{sizeof(pb_tick), attachment->loop, static_cast<int64_t>(number), now_ns};
  attachment->fn(attachment->user, &tick);
}

void MediaRegistry::detached(void* self) {
  auto* attachment = static_cast<Attachment*>(self);
  if (attachment->done != nullptr) {
    const OwnerScope scope(attachment->owner.name);
    const SpareCall::Use use(attachment->spare);
    attachment->done(attachment->done_user);
  }
  Attachment::retired().push(*attachment);
}

Code MediaRegistry::post(LoopPosts& posts, uint32_t loop, CallFn fn, void* user) noexcept {
  if (fn == nullptr || loop >= loops()) return Code::not_found;
  Task* const task = make_loop_post(fn, user, posts);
  return task != nullptr ? pool_.at(loop).post(*task) : Code::exhausted;
}

namespace {

// Adds the object to the table. Closes it, and returns 0, when the table is full.
template <class Object>
uint64_t add_object(SlotTable<Ref<Object>>& table, Ref<Object> object) {
  const uint64_t handle = table.add(object);
  if (handle == 0) object->close(nullptr, nullptr);
  return handle;
}

// Null when the owner has no such object.
template <class Object>
typename SlotTable<Ref<Object>>::Pin pin_object(const SlotTable<Ref<Object>>& table, const void* owner,
                                                uint64_t handle) noexcept {
  auto held = table.pin(handle);
  if (held && (*held)->owner().id != owner) return {};
  return held;
}

template <class Object>
bool close_object(SlotTable<Ref<Object>>& table, const void* owner, uint64_t handle, CallFn done,
                  void* user) noexcept {
  if (!pin_object(table, owner, handle)) return false;
  const auto taken = table.take_pinned(handle);
  if (!taken) return false;
  (*taken)->close(done, user);
  return true;
}

}  // namespace

uint64_t MediaRegistry::open_watch(const PortOwner& owner, int fd, pb_ready_fn fn, void* user) {
  free_retired();
  return fn == nullptr ? 0 : add_object(watches_, make_ref<PluginWatch>(owner, fd, fn, user));
}

uint64_t MediaRegistry::open_timer(const PortOwner& owner, pb_tick_fn fn, void* user) {
  free_retired();
  return fn == nullptr ? 0 : add_object(timers_, make_ref<PluginTimer>(owner, fn, user));
}

Code MediaRegistry::set_watch(const void* owner, uint64_t handle, uint32_t events) noexcept {
  MediaLoop* const loop = MediaLoop::current();
  if (loop == nullptr) return Code::misuse;
  const auto watch = pin_object(watches_, owner, handle);
  return watch ? loop->watch(**watch, events) : Code::gone;
}

Code MediaRegistry::set_timer(const void* owner, uint64_t handle, int64_t due_ns) noexcept {
  MediaLoop* const loop = MediaLoop::current();
  if (loop == nullptr) return Code::misuse;
  const auto timer = pin_object(timers_, owner, handle);
  return timer ? loop->set_timer(**timer, due_ns) : Code::gone;
}

bool MediaRegistry::close_watch(const void* owner, uint64_t handle, CallFn done, void* user) noexcept {
  return close_object(watches_, owner, handle, done, user);
}

bool MediaRegistry::close_timer(const void* owner, uint64_t handle, CallFn done, void* user) noexcept {
  return close_object(timers_, owner, handle, done, user);
}

Ref<Port> MediaRegistry::take_port(const void* owner, uint64_t handle) {
  const Ref<Port> port = ports_.find(handle);
  return port && port->owner().id == owner ? ports_.take(handle) : Ref<Port>();
}

uint64_t MediaRegistry::open(const void* opener, Ref<Port> port) {
  if (!port->add_user()) return 0;
  const uint64_t opening = openings_.add({opener, port});
  if (opening == 0) port->remove_user();
  return opening;
}

bool MediaRegistry::release(const void* opener, uint64_t opening) noexcept {
  if (const auto held = openings_.pin(opening); !held || held->opener != opener) return false;
  const auto taken = openings_.take_pinned(opening);
  if (!taken) return false;
  taken->port->remove_user();
  return true;
}

std::vector<uint64_t> MediaRegistry::attachments_of(const void* owner) const {
  std::vector<uint64_t> held;
  for (const auto& [handle, attachment] : attachments_.all())
    if (attachment->owner.id == owner) held.push_back(handle);
  return held;
}

std::vector<uint64_t> MediaRegistry::ports_of(const void* owner) const {
  std::vector<uint64_t> held;
  for (const auto& [handle, port] : ports_.all())
    if (port->owner().id == owner) held.push_back(handle);
  return held;
}

std::vector<uint64_t> MediaRegistry::openings_of(const void* opener) const {
  std::vector<uint64_t> held;
  for (const auto& [handle, opening] : openings_.all())
    if (opening.opener == opener) held.push_back(handle);
  return held;
}

void MediaRegistry::suppress_callbacks(const void* owner) {
  for (const auto& [handle, attachment] : attachments_.all())
    if (attachment->owner.id == owner) attachment->suppressed.store(true, std::memory_order_release);
  for (const auto& [handle, port] : ports_.all())
    if (port->owner().id == owner) port->disable();
  const auto suppress = [&](const auto& table) {
    for (const auto& [handle, object] : table.all())
      if (object->owner().id == owner) object->suppress();
  };
  suppress(watches_);
  suppress(timers_);
  // A port that its owner has closed may still be open in other plugins.
  for (const auto& [handle, opening] : openings_.all())
    if (opening.port->owner().id == owner) opening.port->disable();
}

void MediaRegistry::cut_streams(const char* opener) {
  for (const auto& [handle, port] : ports_.all()) port->cut_stream(opener);
  for (const auto& [handle, opening] : openings_.all()) opening.port->cut_stream(opener);
}

void MediaRegistry::flush_loop(uint32_t loop, CallFn fn, void* user, Strand* strand) {
  const AttachId id = pool_.at(loop).attach([](void*, uint64_t, int64_t) {}, nullptr);
  if (!pool_.at(loop).detach(id, strand, fn, user)) fn(user);
}

int64_t MediaRegistry::ports_on(uint32_t loop) const noexcept {
  int64_t count = 0;
  for (const auto& [handle, opening] : openings_.all()) count += opening.port->loop() == loop ? 1 : 0;
  return count;
}

}  // namespace patchbay::core
