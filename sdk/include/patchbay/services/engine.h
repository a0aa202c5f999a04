// patchbay.engines and the engines behind it: live AI voices that listen and speak. ai-voice offers
// patchbay.engines; the plugin of an engine registers there. Maturity: experimental.
//
// One call: open() while the phone rings; ready(); start() once it was answered, which triggers the greeting;
// then audio flows through the session's port, and the listener hears the words. Every session ends with
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
  std::string greeting;  // instruction or text for the first words; "" when the prompt says it all
  std::string tools;     // JSON array of {name, description, parameters (JSON Schema)}
  std::string settings;  // JSON object: the engine's own section of the tenant's configuration
  Handle listener;       // instance of Listener
  std::string correlation;
  PATCHBAY_FIELDS(call_id, tenant, model, voice, language, system_prompt, api_key, greeting, tools, settings,
                  listener, correlation)
};

struct Opened {
  Handle session;  // instance of Session
  Handle port;     // the engine's audio: pull what it says, push what it hears
  PATCHBAY_FIELDS(session, port)
};

struct Text {
  std::string text;
  bool trigger = true;  // answer it now; otherwise it is only context
  PATCHBAY_FIELDS(text, trigger)
};

struct ToolResult {
  std::string call;    // id of the tool call
  std::string result;  // JSON object
  PATCHBAY_FIELDS(call, result)
};

// One conversation, driven by who opened it.
// Thread: runs on the strand that the engine provided it on, in order.
// Lifetime: from open() to closed(); it is withdrawn after that, and the port closed.
// Since: 0.1
struct Session {
  static constexpr char id[] = "patchbay.engine.session/1";
  // The call was answered: hear, and greet.
  static constexpr Method<0, Empty, Empty> begin{"begin"};
  // Something to know, or to answer, that was not said.
  static constexpr Method<1, Text, Empty> push_text{"push_text"};
  // What a tool_call() came to.
  static constexpr Method<2, ToolResult, Empty> tool_result{"tool_result"};
  // Say goodbye; farewell_done() follows.
  static constexpr Method<3, Empty, Empty> farewell{"farewell"};
  // closed() follows; the port gives silence from now on.
  static constexpr Method<4, Empty, Empty> close{"close"};
  static constexpr auto methods() { return std::make_tuple(begin, push_text, tool_result, farewell, close); }
};

struct Ready {
  std::string note;  // what this engine cannot do for this call, or ""
  PATCHBAY_FIELDS(note)
};

struct Words {
  std::string text;   // a fragment, with its own leading blank
  int64_t ts_ms = 0;  // wall clock
  PATCHBAY_FIELDS(text, ts_ms)
};

struct Interrupted {
  int64_t played_ms = 0;    // of the AI's turn, really played
  int64_t received_ms = 0;  // of the AI's turn, received from the engine
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
  bool failed = false;     // not by our close(): the conversation cannot go on
  bool retryable = false;  // another attempt, later, may succeed
  std::string reason;      // for a person; "engine: close 1007 ..."; never a secret
  PATCHBAY_FIELDS(failed, retryable, reason)
};

// What the caller of open() provides, to be told.
// Thread: runs on the strand that the listener was provided on, in order.
// Lifetime: must be there until closed(); nothing comes after that. Its plugin may crash all the same: an
// engine watches it (EndWatch) and closes the session. Since: 0.1
struct Listener {
  static constexpr char id[] = "patchbay.engine.listener/1";
  // The engine could begin.
  static constexpr Method<0, Ready, Empty> ready{"ready"};
  // What the callee was heard to say.
  static constexpr Method<1, Words, Empty> user_words{"user_words"};
  // What the AI says.
  static constexpr Method<2, Words, Empty> ai_words{"ai_words"};
  // The first audio of a turn has come.
  static constexpr Method<3, Empty, Empty> ai_audio{"ai_audio"};
  // The callee spoke into the AI's turn, which ends here.
  static constexpr Method<4, Interrupted, Empty> interrupted{"interrupted"};
  // The AI's turn has come to its end.
  static constexpr Method<5, TurnComplete, Empty> turn_complete{"turn_complete"};
  // The AI wants a tool: answer by tool_result().
  static constexpr Method<6, ToolCall, Empty> tool_call{"tool_call"};
  // The result of that call is no longer wanted; only `call` is set.
  static constexpr Method<7, ToolCall, Empty> tool_cancel{"tool_cancel"};
  // What was used since the last; to be added up.
  static constexpr Method<8, Usage, Empty> usage{"usage"};
  // The goodbye was said.
  static constexpr Method<9, Empty, Empty> farewell_done{"farewell_done"};
  // Exactly once, as the last.
  static constexpr Method<10, Closed, Empty> closed{"closed"};
  static constexpr auto methods() {
    return std::make_tuple(ready, user_words, ai_words, ai_audio, interrupted, turn_complete, tool_call,
                           tool_cancel, usage, farewell_done, closed);
  }
};

// What an engine provides.
// Thread: runs on the strand that the engine was provided on; may be answered later, from any.
// Lifetime: no session is opened after it is withdrawn; those that are open end by their own closed().
// Since: 0.1
struct Engine {
  static constexpr char id[] = "patchbay.engine/1";
  // A session for one call. After an error nothing is told to the listener.
  static constexpr Method<0, Open, Opened> open{"open"};
  static constexpr auto methods() { return std::make_tuple(open); }
};

struct AddEngine {
  std::string name;    // "gemini-live"
  std::string models;  // prefixes of model names it serves, separated by spaces
  bool key_required = true;
  Handle engine;  // instance of Engine
  PATCHBAY_FIELDS(name, models, key_required, engine)
};

// Knows which engine serves which model.
// Thread: runs on the provider's main strand, answers on the strand of the caller.
// Lifetime: an engine is known until it is withdrawn or the provider leaves: add it again when that is back
//   (VoiceEngine in voice_engine.h does).
// Since: 0.1
struct EngineRegistry {
  static constexpr char id[] = "patchbay.engines/1";
  // The longest prefix of a model's name decides. An engine of the same name is replaced. Code::invalid
  // without name, models or handle.
  static constexpr Method<0, AddEngine, Empty> add_engine{"add_engine"};
  static constexpr auto methods() { return std::make_tuple(add_engine); }
};

}  // namespace patchbay::engine
