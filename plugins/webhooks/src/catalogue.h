// The events a webhook can be about.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace patchbay::webhooks {

inline constexpr std::array<std::string_view, 20> kTopics{"call.started",
                                                          "call.answered",
                                                          "call.transferred",
                                                          "call.ended",
                                                          "outbound-ai.finished",
                                                          "transcript.saved",
                                                          "share.created",
                                                          "share.viewed",
                                                          "share.revoked",
                                                          "room.cascade.promoted",
                                                          "room.cascade.demoted",
                                                          "room.cascade.failed",
                                                          "room.peer.joined",
                                                          "room.peer.left",
                                                          "room.bandwidth.degraded",
                                                          "sfu.offer.received",
                                                          "sfu.publisher.connected",
                                                          "sfu.subscribe.received",
                                                          "sfu.subscriber.connected",
                                                          "room.client.preference.changed"};

// Never on the bus: made here, on request, for one subscription.
inline constexpr std::string_view kTestTopic = "webhook.test";

inline constexpr std::string_view kAllEvents = "*";

// What a subscription may name: a topic, webhook.test or "*".
bool is_event_name(std::string_view name);

// The topics, separated by blanks.
std::string topic_patterns();

}  // namespace patchbay::webhooks
