#include "event_catalogue.h"

#include <algorithm>
#include <array>

namespace patchbay::webhooks {
namespace {

// The events of the specification.
constexpr std::array<std::string_view, 20> kSpecified{"call.started",
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

bool is_specified(std::string_view name) {
  return std::find(kSpecified.begin(), kSpecified.end(), name) != kSpecified.end();
}

}  // namespace

EventCatalogue EventCatalogue::read(const Host& host) {
  std::vector<EmittedEvent> emitted;
  const auto events = host.parse_json(host.report("events"));
  for (size_t i = 0; events && i < events->root().size(); ++i) {
    const JsonView event = events->root().at(i);
    emitted.push_back({std::string(event.text("topic", "")), std::string(event.text("plugin", ""))});
  }
  return EventCatalogue(std::move(emitted));
}

EventCatalogue::EventCatalogue(std::vector<EmittedEvent> emitted) {
  for (EmittedEvent& event : emitted) {
    if (event.topic == kTestTopic)
      test_emitter_ = std::move(event.plugin);
    else
      emitters_.emplace(std::move(event.topic), std::move(event.plugin));
  }
}

std::string_view EventCatalogue::emitter(std::string_view topic) const {
  const auto found = emitters_.find(topic);
  return found == emitters_.end() ? std::string_view() : found->second;
}

std::optional<size_t> EventCatalogue::unknown_in(const std::vector<std::string>& events) const {
  for (size_t i = 0; i < events.size(); ++i) {
    const std::string& name = events[i];
    if (!emits(name) && name != kTestTopic && name != kAllEvents && !is_specified(name)) return i;
  }
  return {};
}

Status EventCatalogue::check(const std::vector<std::string>& events, std::string_view list) const {
  const auto unknown = unknown_in(events);
  if (!unknown) return {};
  return {Code::invalid, std::string(list) + "[" + std::to_string(*unknown) +
                             "] is not the name of an event; known are " + names()};
}

std::vector<std::string_view> EventCatalogue::not_emitted(const std::vector<std::string>& events) const {
  std::vector<std::string_view> missing;
  for (const std::string& name : events)
    if (is_specified(name) && !emits(name)) missing.push_back(name);
  return missing;
}

std::string EventCatalogue::patterns() const {
  std::string all;
  for (const auto& [topic, plugin] : emitters_) all.append(all.empty() ? "" : " ").append(topic);
  return all;
}

std::string EventCatalogue::names() const {
  std::string all;
  for (const auto& [topic, plugin] : emitters_) all.append(topic).append(", ");
  return all + "webhook.test or * for all";
}

}  // namespace patchbay::webhooks
