#include "event_list.h"

namespace patchbay::webhooks {

std::vector<std::string> read_events(JsonView list) {
  std::vector<std::string> events;
  for (size_t i = 0; i < list.size(); ++i) events.emplace_back(list.at(i).text());
  return events;
}

std::string join_events(const std::vector<std::string>& events) {
  std::string text;
  for (const std::string& event : events) text.append(text.empty() ? "" : " ").append(event);
  return text;
}

std::vector<std::string> split_events(std::string_view text) {
  std::vector<std::string> events;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) events.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return events;
}

}  // namespace patchbay::webhooks
