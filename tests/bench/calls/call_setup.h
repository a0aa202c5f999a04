// CallSetup: a server in another process, whose calls go to the telephones and the engine of this one. SIPp
// answers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/calls/server_process.h"
#include "bench/calls/telephones.h"
#include "bench/calls/voice.h"
#include "support/sipp_peer.h"

namespace patchbay::bench {

class CallSetup {
 public:
  // `tool`: a command that runs the server, as valgrind does; empty: none. `max_load_percent`: see
  // calls_config().
  explicit CallSetup(int max_calls, const std::vector<std::string>& tool = {}, int max_load_percent = 0);

  // Makes calls until there are so many, or the server refuses one, and waits until both ends of each are
  // connected.
  Status make_calls(int calls);
  int calls() const { return calls_; }
  // The answer of the server that refused a call; "": none did.
  const std::string& refusal() const { return refusal_; }
  ServerProcess& server() { return *server_; }
  // How many frames of 20 ms were carried, in the direction that carried fewer.
  uint64_t frames() const;

  Voice voice;
  Telephones telephones;

 private:
  std::vector<uint16_t> offered_ports(int calls) const;

  std::optional<test::Sipp> sipp_;
  std::optional<ServerProcess> server_;
  int calls_ = 0;
  std::string refusal_;
};

}  // namespace patchbay::bench
