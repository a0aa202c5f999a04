#include "event_client.h"

#include <cstdlib>
#include <string_view>

namespace webhooks_test {

EventClient::EventClient(uint16_t port, const std::string& target, const Headers& headers) : client_(port) {
  std::string request = "GET " + target + " HTTP/1.1\r\nHost: a.example\r\nAccept: text/event-stream\r\n";
  for (const std::string& header : headers) request += header + "\r\n";
  client_.send(request + "\r\n");
  size_t end = 0;
  while ((end = client_.rest().find("\r\n\r\n")) == std::string::npos)
    if (!client_.read_some()) return;
  at_ = end + 4;
  head_ = client_.rest().substr(0, at_);
  status_ = std::atoi(head_.c_str() + std::string_view("HTTP/1.1 ").size());
}

// Moves the next chunk into text_. False: there is none.
bool EventClient::read_chunk() {
  while (true) {
    const std::string& all = client_.rest();
    const size_t line = all.find("\r\n", at_);
    if (line != std::string::npos) {
      const size_t size = std::strtoul(all.c_str() + at_, nullptr, 16);
      if (size == 0) has_ended_ = true;
      if (size == 0) return false;
      if (all.size() >= line + 2 + size + 2) {
        text_.append(all, line + 2, size);
        at_ = line + 2 + size + 2;
        return true;
      }
    }
    if (!client_.read_some()) return false;
  }
}

std::optional<SentEvent> EventClient::next() {
  SentEvent event;
  while (true) {
    size_t end = 0;
    while ((end = text_.find('\n')) == std::string::npos)
      if (has_ended_ || !read_chunk()) return std::nullopt;
    const std::string line = text_.substr(0, end);
    text_.erase(0, end + 1);
    const auto value = [&](std::string_view name) -> std::optional<std::string> {
      const std::string field = std::string(name) + ": ";
      if (line.rfind(field, 0) != 0) return std::nullopt;
      return line.substr(field.size());
    };
    if (line == ":") ++comments_;
    if (auto id = value("id")) event.id = *id;
    if (auto name = value("event")) event.event = *name;
    if (auto retry = value("retry")) event.retry = *retry;
    if (auto data = value("data")) {
      event.data += (event.data_lines++ > 0 ? "\n" : "") + *data;
    }
    if (line.empty() && (!event.id.empty() || !event.retry.empty() || event.data_lines > 0)) return event;
  }
}

}  // namespace webhooks_test
