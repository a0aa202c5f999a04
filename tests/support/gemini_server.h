// A server that imitates the observed behaviour of Gemini Live: TLS, binary frames with line breaks, 1007 for
// unknown messages, answers faster than real time. It detects the caller's speech by the audio level.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace patchbay::support {

struct GeminiScript {
  // What happens at a turn instead of a plain answer. Turns are counted over all connections, from 1.
  enum class Event {
    answer,
    tool_call,            // `tool`, answered after the tool response
    cancelled_tool_call,  // transfer_to_user, withdrawn at once
    drop,                 // closes the socket during the answer
    close_1011,           // the same with a close frame
    go_away,              // an answer, then goAway and, in the end, close 1011
    garbage,              // 1 MB that is not JSON, then an answer
    garbage_only,         // three times 1 MB
    fragments,            // an answer with each message split into many frames
    silent_turn,          // turnComplete without audio
    quiet_audio,          // audio without level
    no_answer,
    odd_fields,    // unknown keys, wrong types, empty transcriptions, thoughts around an answer
    usage_deltas,  // usage per audio chunk instead of per turn
  };

  std::string api_key = "test-key";
  int refuse_upgrade = 0;       // HTTP status
  int setup_delay_ms = 0;       // -1: setupComplete never comes
  std::string refuse_field;     // a setup with this key anywhere is closed with 1007
  bool refuse_handles = false;  // resuming is closed with 1007
  std::string tool = "hang_up";
  std::string tool_arguments = R"({"reason":"done"})";
  // Further calls of the tool: each follows the response to the one before. A call to which the response is
  // that another transfer rings is repeated.
  std::vector<std::string> more_tool_arguments;
  int answer_ms = 2000;     // audio per answer
  int first_answer_ms = 0;  // of turn 1, if that is another: long enough to be interrupted
  int go_away_ms = 2000;
  int go_aways = 1;      // messages of Event::go_away
  int silence_ms = 300;  // ends the caller's turn
  std::map<int, Event> at_turn;
};

class GeminiServer {
 public:
  explicit GeminiServer(GeminiScript script = {});
  ~GeminiServer();

  std::string url() const;
  const std::string& ca_file() const;

  // The records so far.
  struct Seen {
    int connections = 0;
    int turns = 0;
    int interruptions = 0;
    int64_t audio_ms = 0;
    std::vector<std::string> setups;  // as JSON text
    std::vector<std::string> texts;
    std::vector<std::string> tool_responses;
    std::vector<int> closes;
    std::vector<std::string> complaints;  // protocol errors of the client
  };
  Seen seen() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace patchbay::support
