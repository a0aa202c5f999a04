// EventCatalogue: the events that subscriptions can name. Immutable; any thread.
#pragma once

#include <patchbay/host.h>
#include <patchbay/result.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::webhooks {

// Made by FanOut::test() for one subscription, and sent although it is paused; an event of a plugin with this
// name is ignored.
inline constexpr std::string_view kTestTopic = "webhook.test";

inline constexpr std::string_view kAllEvents = "*";

// Of a stream: the log no longer has the next events. No plugin may emit events that begin with "core.".
inline constexpr std::string_view kGoneEvent = "core.gone";

struct EmittedEvent {
  std::string topic, plugin;
};

class EventCatalogue {
 public:
  // The events that the configured plugins declare with a schema in their manifests.
  static EventCatalogue read(const Host& host);
  explicit EventCatalogue(std::vector<EmittedEvent> emitted);

  // The index of the first name that is no event. Events are those that a plugin emits, webhook.test, "*",
  // and all of the platform's specification, because its clients subscribe to those whatever plugins a server
  // has.
  std::optional<size_t> unknown_in(const std::vector<std::string>& events) const;
  // Error: one is no event; it says where in the list, which the client knows as `list`, and has the valid
  // names, but not the refused one, because clients may send anything.
  Status check(const std::vector<std::string>& events, std::string_view list = "events") const;
  // Those of `events` that are in the specification but that no configured plugin emits.
  std::vector<std::string_view> not_emitted(const std::vector<std::string>& events) const;
  // The plugin that declares the event; "": none does.
  std::string_view emitter(std::string_view topic) const;
  // The plugin that declares webhook.test, which is ignored; "": none does.
  const std::string& test_emitter() const noexcept { return test_emitter_; }
  // The emitted topics, separated by spaces; "": none.
  std::string patterns() const;
  // For messages: "call.answered, call.started, webhook.test or * for all".
  std::string names() const;

 private:
  bool emits(std::string_view name) const { return !emitter(name).empty(); }

  std::map<std::string, std::string, std::less<>> emitters_;  // plugins, by topic
  std::string test_emitter_;
};

}  // namespace patchbay::webhooks
