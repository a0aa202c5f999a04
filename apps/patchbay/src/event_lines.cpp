#include "event_lines.h"

#include <utility>

namespace patchbay::app {

void EventLines::take(std::string_view octets) {
  rest_ += octets;
  size_t begin = 0;
  for (size_t end = 0; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1)
    take_line(std::string_view(rest_).substr(begin, end - begin));
  rest_.erase(0, begin);
}

void EventLines::take_line(std::string_view line) {
  constexpr std::string_view kId = "id: ", kData = "data: ";
  if (line.substr(0, kId.size()) == kId) id_ = line.substr(kId.size());
  if (line.substr(0, kData.size()) == kData)
    data_.append(data_.empty() ? "" : "\n").append(line.substr(kData.size()));
  if (!line.empty()) return;
  if (!data_.empty()) on_event_(std::exchange(data_, {}));
  if (!id_.empty()) last_id_ = std::exchange(id_, {});
}

}  // namespace patchbay::app
