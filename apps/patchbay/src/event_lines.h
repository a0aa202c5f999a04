// EventLines: takes server-sent events (WHATWG HTML 9.2) out of the octets of a stream, as a server of this
// project writes them.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace patchbay::app {

class EventLines {
 public:
  // Called with the data of each event.
  explicit EventLines(std::function<void(const std::string&)> on_event) : on_event_(std::move(on_event)) {}

  void take(std::string_view octets);
  // Before a stream is read from its begin.
  void restart() { rest_.clear(), data_.clear(); }
  // Of the last event; "": there was none.
  const std::string& last_id() const noexcept { return last_id_; }

 private:
  void take_line(std::string_view line);

  const std::function<void(const std::string&)> on_event_;
  std::string rest_;  // of a line
  std::string id_, data_;
  std::string last_id_;
};

}  // namespace patchbay::app
