// Offer and answer (RFC 3264) of one G.711 audio stream in SDP (RFC 4566). Pure functions, any thread. The
// text is untrusted: at most 64 KiB and 1000 lines are read, and only numeric addresses accepted.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codec/g711.h"
#include "rtp/address.h"

namespace patchbay::lib {

// Our side of the stream.
struct LocalMedia {
  SocketAddress rtp;        // RTCP uses the next port
  uint64_t session_id = 0;  // constant for the life of the dialog
  uint64_t version = 0;     // incremented for every description that differs from the one before
  std::vector<G711> laws = {G711::mu_law, G711::a_law};  // in order of preference
  bool events = true;                                    // telephone-event
};

// The peer's side of the stream, from its answer or offer.
struct RemoteMedia {
  SocketAddress rtp;
  SocketAddress rtcp;
  bool rtcp_mux = false;
  G711 law = G711::mu_law;      // codec to send
  int event_payload_type = -1;  // -1: the peer does not support telephone-event
  bool send = true;             // whether we may send; false while the peer holds the call
  bool receive = true;          // whether the peer sends
  uint32_t ptime_ms = 20;       // packet length that the peer asks for
};

// One m= line of an offer, which the answer must repeat (RFC 3264 section 6).
struct OfferedLine {
  bool accepted = false;  // by our answer; all other lines are refused with port 0
  std::string type;
  std::string protocol;
  std::string formats;
};

struct RemoteOffer {
  RemoteMedia media;
  std::vector<OfferedLine> lines;
};

std::string write_offer(const LocalMedia& local);

// Parses the answer to write_offer()'s offer. Code::unsupported: no audio that we support (no audio line,
// port 0, no common codec, SRTP). Code::invalid: not SDP.
Result<RemoteMedia> parse_answer(const LocalMedia& offer, std::string_view text);

// Parses an offer of the peer (INVITE, re-INVITE) and accepts the first audio line that we support; errors as
// above.
Result<RemoteOffer> parse_offer(const LocalMedia& local, std::string_view text);

std::string write_answer(const LocalMedia& local, const RemoteOffer& offer);

}  // namespace patchbay::lib
