// EventCatalogue: the events a webhook can be about. Immutable; any thread.
#pragma once

#include <patchbay/host.h>
#include <patchbay/result.h>

#include <string>
#include <string_view>
#include <vector>

namespace patchbay::webhooks {

// Never on the bus: made here, on request, for one subscription.
inline constexpr std::string_view kTestTopic = "webhook.test";

inline constexpr std::string_view kAllEvents = "*";

class EventCatalogue {
 public:
  // Those that the configured plugins declare in their manifests, with a schema.
  static EventCatalogue read(const Host& host);
  explicit EventCatalogue(std::vector<std::string> emitted);

  // Names that subscriptions may hold: what a plugin emits, webhook.test, "*", and every event of the
  // platform's specification, because its clients subscribe to those whatever plugins this server has. Error:
  // another name; it says where in `events`, and which names there are.
  Status check(const std::vector<std::string>& events) const;
  // Those of `events` that never come here: the specification has them, and no configured plugin emits them.
  std::vector<std::string_view> not_emitted(const std::vector<std::string>& events) const;
  // The emitted topics, separated by blanks; "" when there are none.
  std::string patterns() const;
  // For people: "call.answered, call.started, webhook.test or * for all".
  std::string names() const;

 private:
  bool emits(std::string_view name) const;

  std::vector<std::string> emitted_;  // sorted
};

}  // namespace patchbay::webhooks
