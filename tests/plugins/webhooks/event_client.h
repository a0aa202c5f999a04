// EventClient: reads server-sent events (WHATWG HTML 9.2) from a server of this machine, over a connection of
// its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plugins/rest-api/client.h"

namespace webhooks_test {

struct SentEvent {
  std::string id, event, data;
  int data_lines = 0;
  std::string retry;
};

class EventClient {
 public:
  using Headers = std::vector<std::string>;  // "Name: value"

  // Asks for the stream and waits for the head of the response. Also after a refusal, see status().
  EventClient(uint16_t port, const std::string& target, const Headers& headers);

  int status() const noexcept { return status_; }
  const std::string& head() const noexcept { return head_; }
  // The next event; nothing after the end of the stream or a minute without octets. `comments` counts those
  // before it.
  std::optional<SentEvent> next();
  int comments() const noexcept { return comments_; }
  // Whether the stream has ended by its last chunk, and not by a lost connection.
  bool has_ended() const noexcept { return has_ended_; }
  rest_api_test::Client& client() noexcept { return client_; }

 private:
  bool read_chunk();

  rest_api_test::Client client_;
  int status_ = 0;
  std::string head_;
  size_t at_ = 0;     // in the octets of the client
  std::string text_;  // of the chunks, not yet parsed
  int comments_ = 0;
  bool has_ended_ = false;
};

}  // namespace webhooks_test
