// The measured server: this program again, with a whole core in it. It obeys commands until SIGTERM.
#pragma once

#include <string>

namespace patchbay::bench {

// YAML of a server whose calls go to the trunk at 127.0.0.1:`sip_port` and to the engine at `url`. The server
// refuses calls beyond `max_load_percent`, see ai-voice; 0: none.
std::string calls_config(int sip_port, const std::string& url, const std::string& ca_file,
                         int max_load_percent);

// The body of POST /calls for the number of phone_of(call).
std::string call_request(int call);

// argv: CONFIG LOG COMMANDS, which is a named pipe. Prints "ready PID"; then reads lines "NUMBER COMMAND" and
// prints "NUMBER ok" or "NUMBER refused: why" for each. Commands:
//   calls N            makes calls until there are N, or one is refused: then the reason begins with their
//   number metrics            writes the server's metrics to the file "metrics" count begin        under
//   callgrind: begins to count instructions count NAME         under callgrind: writes the instructions since
//   then to the next file, with this name
// Returns the exit code.
int serve(const char* config, const char* log, const char* commands);

// The number of the call's telephone.
inline constexpr const char* kPhonePrefix = "+4930123";
std::string phone_of(int call);
// The reverse; the number's digits begin at `text`, after the prefix.
int call_of(const char* text);

}  // namespace patchbay::bench
