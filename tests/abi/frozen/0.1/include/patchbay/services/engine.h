// patchbay.conversation and the engines behind it: live AI voices that listen and speak. ai-voice offers
// patchbay.conversation; an engine registers there, in ai-voice itself or in any plugin. Maturity:
// experimental.
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

struct Session {
  static constexpr char id[] = "patchbay.engine.session/1";
  static constexpr Method<0, Empty, Empty> begin{"begin"};  // the call was answered: hear, and greet
  static constexpr Method<1, Text, Empty> push_text{"push_text"};
  static constexpr Method<2, ToolResult, Empty> tool_result{"tool_result"};
  static constexpr Method<3, Empty, Empty> farewell{"farewell"};  // say goodbye; farewell_done() follows
  static constexpr Method<4, Empty, Empty> close{
      "close"};  // closed() follows; the port gives silence from now on
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

// On the strand of whoever provides it, in order.
struct Listener {
  static constexpr char id[] = "patchbay.engine.listener/1";
  static constexpr Method<0, Ready, Empty> ready{"ready"};
  static constexpr Method<1, Words, Empty> user_words{"user_words"};
  static constexpr Method<2, Words, Empty> ai_words{"ai_words"};
  static constexpr Method<3, Empty, Empty> ai_audio{"ai_audio"};  // the first audio of a turn has come
  static constexpr Method<4, Interrupted, Empty> interrupted{"interrupted"};
  static constexpr Method<5, TurnComplete, Empty> turn_complete{"turn_complete"};
  static constexpr Method<6, ToolCall, Empty> tool_call{"tool_call"};
  static constexpr Method<7, ToolCall, Empty> tool_cancel{"tool_cancel"};  // only `call` is set
  static constexpr Method<8, Usage, Empty> usage{"usage"};                 // to be added up
  static constexpr Method<9, Empty, Empty> farewell_done{"farewell_done"};
  static constexpr Method<10, Closed, Empty> closed{"closed"};
  static constexpr auto methods() {
    return std::make_tuple(ready, user_words, ai_words, ai_audio, interrupted, turn_complete, tool_call,
                           tool_cancel, usage, farewell_done, closed);
  }
};

struct Engine {
  static constexpr char id[] = "patchbay.engine/1";
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

struct Conversation {
  static constexpr char id[] = "patchbay.conversation/1";
  static constexpr Method<0, AddEngine, Empty> add_engine{"add_engine"};
  static constexpr auto methods() { return std::make_tuple(add_engine); }
};

}  // namespace patchbay::engine
