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
  Attachment* attachment = Attachment::retired().take();
  while (attachment != nullptr) delete std::exchange(attachment, attachment->next_retired);
}

MediaRegistry::~MediaRegistry() {
  for (const auto& [handle, attachment] : attachments_.all())
    detach(attachment->owner.id, handle, nullptr, nullptr);
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
  for (uint32_t i = 0; i < loops(); ++i) {
    if (&pool_.at(i) == target) attachment->loop = i;
  }
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

bool MediaRegistry::suppress_callbacks(const void* owner) {
  bool any = false;
  for (const auto& [handle, attachment] : attachments_.all()) {
    if (attachment->owner.id != owner) continue;
    attachment->suppressed.store(true, std::memory_order_release);
    any = true;
  }
  for (const auto& [handle, port] : ports_.all()) {
    if (port->owner().id != owner) continue;
    port->disable();
    any = true;
  }
  // A port that its owner has closed may still be open in other plugins.
  for (const auto& [handle, opening] : openings_.all()) {
    if (opening.port->owner().id != owner) continue;
    opening.port->disable();
    any = true;
  }
  return any;
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
