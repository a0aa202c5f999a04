// patchbay.engines, and the interfaces of engines: live AI voices that listen and speak. ai-voice provides
// patchbay.engines, where engines' plugins register. Maturity: experimental.
//
// One call: open() while the phone rings; ready(); begin() once it was answered, which triggers the greeting;
// then audio flows through the session's port, and the listener gets the transcript. Every session ends with
// exactly one closed().
#pragma once

#include "../service.h"

namespace patchbay::engine {

struct Open {
  std::string call_id;
  std::string tenant;
  std::string model;
  std::string voice;
  std::string language;
  std::string system_prompt;
  std::string api_key;   // a secret
  std::string greeting;  // instruction or text for the first words; "" when the prompt suffices
  std::string tools;     // JSON array of {name, description, parameters (JSON Schema)}
  std::string settings;  // JSON object: the engine's section of the tenant's configuration
  Handle listener;       // instance of Listener
  std::string correlation;
  PATCHBAY_FIELDS(call_id, tenant, model, voice, language, system_prompt, api_key, greeting, tools, settings,
                  listener, correlation)
};

struct Opened {
  Handle session;  // instance of Session
  Handle port;     // the engine's audio: pull its speech, push the caller's
  PATCHBAY_FIELDS(session, port)
};

struct Text {
  std::string text;
  bool trigger = true;  // true: the engine answers now; false: the text is only context
  PATCHBAY_FIELDS(text, trigger)
};

struct ToolResult {
  std::string call;    // id of the tool call
  std::string result;  // JSON object
  PATCHBAY_FIELDS(call, result)
};

// One conversation, controlled by the caller of open().
// Thread: runs on the strand that the engine provided it on, in order.
// Lifetime: from open() to closed(); then it is withdrawn and its port closed.
// Since: 0.1
struct Session {
  static constexpr char id[] = "patchbay.engine.session/1";
  // The call was answered: the engine starts to listen, and greets.
  static constexpr Method<0, Empty, Empty> begin{"begin"};
  // Passes text to the engine that was not spoken, as context or to be answered.
  static constexpr Method<1, Text, Empty> push_text{"push_text"};
  // The result of a tool_call().
  static constexpr Method<2, ToolResult, Empty> tool_result{"tool_result"};
  // Makes the engine say goodbye; farewell_done() follows.
  static constexpr Method<3, Empty, Empty> farewell{"farewell"};
  // Closes the session; closed() follows. The port produces silence from now on.
  static constexpr Method<4, Empty, Empty> close{"close"};
  static constexpr auto methods() { return std::make_tuple(begin, push_text, tool_result, farewell, close); }
};

struct Ready {
  std::string note;  // what the engine cannot do for this call; "" normally
  PATCHBAY_FIELDS(note)
};

struct Words {
  std::string text;   // a fragment, with its leading blank
  int64_t ts_ms = 0;  // wall clock
  PATCHBAY_FIELDS(text, ts_ms)
};

struct Interrupted {
  int64_t played_ms = 0;    // how much of the AI's turn was played
  int64_t received_ms = 0;  // how much of it the engine had sent
  PATCHBAY_FIELDS(played_ms, received_ms)
};

struct ToolCall {
  std::string call;
  std::string name;
  std::string arguments;  // JSON object
  PATCHBAY_FIELDS(call, name, arguments)
};

struct Usage {
  int64_t total = 0;
  int64_t prompt = 0;
  int64_t response = 0;
  int64_t thoughts = 0;
  int64_t cached = 0;
  PATCHBAY_FIELDS(total, prompt, response, thoughts, cached)
};

struct TurnComplete {
  bool had_audio = false;
  PATCHBAY_FIELDS(had_audio)
};

struct Closed {
  bool failed = false;     // the session ended without close()
  bool retryable = false;  // a later attempt may succeed
  std::string reason;      // readable: "engine: close 1007 ..."; never contains a secret
  PATCHBAY_FIELDS(failed, retryable, reason)
};

// Receives the events of a session; provided by the caller of open().
// Thread: runs on the strand that the listener was provided on, in order.
// Lifetime: must be provided until closed(), the last call. Its plugin may crash, so engines watch it
// (EndWatch) and then close the session. Since: 0.1
struct Listener {
  static constexpr char id[] = "patchbay.engine.listener/1";
  // The engine is ready for begin().
  static constexpr Method<0, Ready, Empty> ready{"ready"};
  // Transcript of the callee's speech.
  static constexpr Method<1, Words, Empty> user_words{"user_words"};
  // Transcript of the AI's speech.
  static constexpr Method<2, Words, Empty> ai_words{"ai_words"};
  // The first audio of an AI's turn has arrived.
  static constexpr Method<3, Empty, Empty> ai_audio{"ai_audio"};
  // The callee interrupted the AI, whose turn ends here.
  static constexpr Method<4, Interrupted, Empty> interrupted{"interrupted"};
  // The AI's turn has ended.
  static constexpr Method<5, TurnComplete, Empty> turn_complete{"turn_complete"};
  // The AI calls a tool: answer with tool_result().
  static constexpr Method<6, ToolCall, Empty> tool_call{"tool_call"};
  // The result of that call is no longer needed; only `call` is set.
  static constexpr Method<7, ToolCall, Empty> tool_cancel{"tool_cancel"};
  // Tokens used since the last usage(); add them up.
  static constexpr Method<8, Usage, Empty> usage{"usage"};
  // The goodbye was spoken.
  static constexpr Method<9, Empty, Empty> farewell_done{"farewell_done"};
  // The session has ended; called exactly once, last.
  static constexpr Method<10, Closed, Empty> closed{"closed"};
  static constexpr auto methods() {
    return std::make_tuple(ready, user_words, ai_words, ai_audio, interrupted, turn_complete, tool_call,
                           tool_cancel, usage, farewell_done, closed);
  }
};

// An engine.
// Thread: runs on the strand that the engine was provided on; may be answered later, from any thread.
// Lifetime: no session is opened after it is withdrawn; open ones continue until closed().
// Since: 0.1
struct Engine {
  static constexpr char id[] = "patchbay.engine/1";
  // Opens a session for one call. After an error the listener is not called.
  static constexpr Method<0, Open, Opened> open{"open"};
  static constexpr auto methods() { return std::make_tuple(open); }
};

struct AddEngine {
  std::string name;    // "gemini-live"
  std::string models;  // prefixes of the model names that it serves, separated by spaces
  bool key_required = true;
  Handle engine;  // instance of Engine
  PATCHBAY_FIELDS(name, models, key_required, engine)
};

// The registry of engines, by model.
// Thread: runs on the provider's main strand, answers on the strand of the caller.
// Lifetime: an engine is registered until it is withdrawn or the provider is: then add it again when a
// provider
//   appears, as VoiceEngine (voice_engine.h) does.
// Since: 0.1
struct EngineRegistry {
  static constexpr char id[] = "patchbay.engines/1";
  // Registers an engine; replaces one of the same name. The engine with the longest matching prefix serves a
  // model. Code::invalid: name, models or handle is missing.
  static constexpr Method<0, AddEngine, Empty> add_engine{"add_engine"};
  static constexpr auto methods() { return std::make_tuple(add_engine); }
};

}  // namespace patchbay::engine
