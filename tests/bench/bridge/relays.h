// The two programs that bench-srtp-bridge compares: each takes RTP at one port per call and sends it on as
// SRTP.
#pragma once

#include <patchbay/result.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/child_process.h"
#include "support/rtp_engine.h"
#include "support/sipp_peer.h"

namespace patchbay::bench {

struct Relay {
  std::string name;
  std::vector<uint16_t> ports;  // where the callers' RTP goes to, on 127.0.0.1
  pid_t measured = 0;

  std::string log() const { return engine ? engine->output() : test::read_text(folder->file("output")); }

  // What runs.
  std::unique_ptr<test::TempFolder> folder;
  std::optional<test::Sipp> callee, caller;
  std::optional<test::Child> server;
  std::optional<test::RtpEngine> engine;
};

// `patchbay serve` with a plugin that passes calls on, each to a trunk with `srtp: required`. `from`: the
// callers' RTP port; `to`: the callees'.
Result<Relay> start_patchbay_relay(int calls, uint16_t from, uint16_t to);
// Debian's rtpengine in user space, controlled by its ng protocol as a proxy does.
Result<Relay> start_rtpengine_relay(int calls, uint16_t from, uint16_t to);

}  // namespace patchbay::bench
