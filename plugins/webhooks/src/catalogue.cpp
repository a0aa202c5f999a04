#include "catalogue.h"

#include <algorithm>

namespace patchbay::webhooks {

bool is_event_name(std::string_view name) {
  return name == kAllEvents || name == kTestTopic ||
         std::find(kTopics.begin(), kTopics.end(), name) != kTopics.end();
}

std::string topic_patterns() {
  std::string all;
  for (const std::string_view topic : kTopics) all.append(all.empty() ? "" : " ").append(topic);
  return all;
}

}  // namespace patchbay::webhooks
