#include "server_message_reader.h"

#include <utility>

#include "gemini_limits.h"

namespace patchbay::engine_gemini {

Result<ServerMessage> ServerMessageReader::read(std::string_view bytes) {
  audio_.detach(bytes);
  if (!audio_.any()) return parse_server_message(json_, bytes);
  if (audio_.count() != last_.audio.size() || audio_.rest() != last_rest_) {
    auto read = parse_server_message(json_, audio_);
    if (!read || !audio_.all_taken()) {
      audio_.clear();
      // Also after an error, because its text describes the position in the message.
      return parse_server_message(json_, bytes);
    }
    const bool all_detached = read->audio.size() == audio_.count();
    if (!all_detached || audio_.rest().size() > kMaxKeptMessageBytes) return read;
    last_ = *read;
    for (AudioPart& part : last_.audio) part.bytes.clear();
    last_rest_ = audio_.rest();
    return read;
  }
  ServerMessage message = last_;
  for (AudioPart& part : message.audio) part.bytes = audio_.take();
  return message;
}

}  // namespace patchbay::engine_gemini
