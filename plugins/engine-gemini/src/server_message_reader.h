// ServerMessageReader: reads the messages of one connection like parse_server_message(), at less cost: most
// of them differ in their audio only. One thread.
#pragma once

#include <string>
#include <string_view>

#include "detached_audio.h"
#include "server_message.h"

namespace patchbay::engine_gemini {

class ServerMessageReader {
 public:
  explicit ServerMessageReader(const lib::JsonParser& json) : json_(json) {}

  // Returns the same as parse_server_message(), except that audio does not count to the JSON parser's limit
  // of a text's size.
  Result<ServerMessage> read(std::string_view bytes);

 private:
  const lib::JsonParser json_;
  DetachedAudio audio_;
  // The last message with audio that was read: its text without audio, and the result with its
  // audio parts empty. All of them were detached.
  std::string last_rest_;
  ServerMessage last_;
};

}  // namespace patchbay::engine_gemini
