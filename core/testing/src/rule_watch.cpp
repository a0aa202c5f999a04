#include "rule_watch.h"

#include <utility>

#include "abi/boundary_copies.h"
#include "observe/log.h"

namespace patchbay::fake {
namespace {

using core::copied;
using core::HandleKind;
using core::HostContext;

constexpr std::string_view kThrown = "a callback threw an exception";

}  // namespace

void RuleWatch::problem(std::string_view name, std::string_view plugin, std::string text) {
  recording_.problems.add({std::string(name), std::string(plugin), std::move(text)});
}

void RuleWatch::trust(const HostContext& context) { trusted_ = &context; }

void RuleWatch::called_on_media(HostContext& context, const char* function) noexcept {
  if (&context == trusted_) return;
  problem("media-thread", context.id(),
          std::string(function) +
              "() was called on a media loop, which may not wait; post to a strand and call it there");
}

void RuleWatch::opened(HostContext& context, HandleKind kind, uint64_t handle) noexcept {
  if (&context == trusted_) return;
  const std::lock_guard lock(mutex_);
  held_[&context].emplace(handle, kind);
}

void RuleWatch::closing(HostContext& context, HandleKind kind, uint64_t handle,
                        const char* function) noexcept {
  if (&context == trusted_) return;
  {
    const std::lock_guard lock(mutex_);
    Held& held = held_[&context];
    const auto at = held.find(handle);
    if (at != held.end() && at->second == kind) {
      held.erase(at);
      return;
    }
  }
  problem("dead-handle", context.id(),
          std::string(function) + "() was called for a " + name_of(kind) + " that it does not hold (" +
              std::to_string(handle) + "); was it given back before?");
}

void RuleWatch::destroyed(HostContext& context) noexcept {
  std::map<HandleKind, size_t> left;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [handle, kind] : held_[&context]) ++left[kind];
    held_.erase(&context);
  }
  for (const auto& [kind, count] : left) {
    problem("left-behind", context.id(),
            "destroyed with " + std::to_string(count) + " " + name_of(kind) + (count == 1 ? "" : "s") +
                " still held; end in stop() what start() began");
  }
}

void RuleWatch::answered_twice(HostContext& context, const char* step) noexcept {
  problem("answered-twice", context.id(), std::string(step) + "() called its `done` a second time");
}

void RuleWatch::published(HostContext& context, const pb_event& event) noexcept {
  recording_.events.add({context.id(), copied(event.topic), copied(event.tenant), copied(event.subject),
                         copied(event.correlation), copied(event.payload), 0, 0});
}

void RuleWatch::logged(HostContext& context, uint32_t level, pb_str correlation, pb_str text,
                       const pb_pair* fields, uint32_t count) noexcept {
  const core::observe::Redactor& redactor = context.services().log.redactor();
  RecordedLine line{context.id(), level, copied(correlation), redactor.sentence(from_abi(text)), {}};
  std::string shown;
  for (uint32_t i = 0; i < count; ++i) {
    std::string key = copied(fields[i].key);
    std::string value = core::observe::Redactor::is_secret_name(key)
                            ? "[redacted]"
                            : redactor.value(from_abi(fields[i].value));
    shown.append(" ").append(key).append("=").append(value);
    line.fields.emplace_back(std::move(key), std::move(value));
  }
  if (line.text == kThrown) problem("thrown", context.id(), line.text + ":" + shown);
  recording_.lines.add(std::move(line));
}

void RuleWatch::port_created(HostContext& context, uint64_t handle, const pb_port& port) noexcept {
  recording_.ports.add({context.id(), handle, port.pull_rate_hz, port.push_rate_hz});
}

}  // namespace patchbay::fake
