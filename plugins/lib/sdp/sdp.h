// Offer and answer (RFC 3264) of one G.711 audio stream in SDP (RFC 4566). Pure functions, any thread. The
// text comes from strangers: at most 64 KiB and 1000 lines are looked at, and only numeric addresses are
// taken.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "g711/g711.h"
#include "rtp/address.h"

namespace patchbay::lib {

constexpr int kDefaultEventPayloadType = 101;

// Our side of the stream.
struct LocalMedia {
  SocketAddress rtp;        // RTCP is on the next port
  uint64_t session_id = 0;  // the same for the life of the dialog
  uint64_t version = 0;     // +1 for every description that differs from the one before
  std::vector<G711> laws = {G711::mu_law, G711::a_law};  // in order of preference
  bool events = true;                                    // telephone-event
};

// The peer's side, by its answer or offer.
struct RemoteMedia {
  SocketAddress rtp;
  SocketAddress rtcp;
  bool rtcp_mux = false;
  G711 law = G711::mu_law;      // what to send
  int event_payload_type = -1;  // -1: the peer takes no telephone-event
  bool send = true;             // whether we may send: false when it holds us
  bool receive = true;          // whether it will send
  uint32_t ptime_ms = 20;       // what it asks for
};

// One m= line of an offer that the answer has to repeat.
struct OfferedLine {
  bool taken = false;  // the one we answer; all others are refused with port 0
  std::string type;
  std::string protocol;
  std::string formats;
};

struct RemoteOffer {
  RemoteMedia media;
  std::vector<OfferedLine> lines;
};

std::string write_offer(const LocalMedia& local);

// The answer to what write_offer made. Code::unsupported: the peer takes no audio that we speak (no audio
// line, port 0, no common codec, SRTP). Code::invalid: no SDP.
Result<RemoteMedia> parse_answer(const LocalMedia& offer, std::string_view text);

// An offer of the peer (INVITE, re-INVITE), with the first audio line that we can answer; errors as above.
Result<RemoteOffer> parse_offer(const LocalMedia& local, std::string_view text);

std::string write_answer(const LocalMedia& local, const RemoteOffer& offer);

}  // namespace patchbay::lib
