// A caller of a virtual number, whose AI is the Gemini server of tests/support: the server's settings, what
// the caller says, and the events of the call. Used on the test's thread.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "call_server.h"
#include "support/baresip_phone.h"
#include "support/gemini_server.h"
#include "support/webhook_receiver.h"

namespace patchbay::test {

inline constexpr char kReception[] = "+4930111";        // the virtual number
inline constexpr char kCallerNumber[] = "+4915112345";  // the telephone's

// A server with virtual numbers; its trunk has any port, because only its address matters. `more`: further
// YAML members of the number, each after a comma.
CallServer::Options number_options(const support::GeminiServer& gemini, const std::string& more = "",
                                   const WebhookReceiver* receiver = nullptr);

// A WAV file of silence with a second of a tone after each pause.
std::string speech(const TemporaryFolder& folder, std::initializer_list<int> pauses_ms);

// A telephone that calls `did` and plays the file.
Result<Baresip> call(CallServer& server, const std::string& wav = "", const std::string& did = kReception);

// Waits for the call's id in the log.
std::string call_id(CallServer& server);
// Waits for the event `last` of the call; returns the topics of all its events, in order.
std::vector<std::string> topics(CallServer& server, const std::string& id, const std::string& last);
// The payload of the call's event; "": there is none.
std::string payload(const std::string& id, const std::string& topic);

bool contains(const std::string& text, const std::string& part);
// More than a second of sound.
bool is_loud(const std::vector<int16_t>& heard);

}  // namespace patchbay::test
