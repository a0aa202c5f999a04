// Offer and answer (RFC 3264) of one audio stream in SDP (RFC 4566). Pure functions, any thread. The text is
// untrusted: at most 64 KiB and 1000 lines are read, and only numeric addresses accepted.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codec/codec.h"
#include "rtp/address.h"
#include "rtp/common_codec.h"
#include "sdp/sdp_security.h"

namespace patchbay::lib {

// The dynamic payload types of a dialog. They keep their meaning until it ends (RFC 3264 section 8.3.2), so
// those of a peer's offer are adopted.
struct PayloadTypes {
  int opus = 96;
  int event_8000 = 101;  // telephone-event at the RTP clock of the codec
  int event_48000 = 102;
};

// Our side of the stream.
struct LocalMedia {
  SocketAddress rtp;        // RTCP uses the next port
  uint64_t session_id = 0;  // constant for the life of the dialog
  uint64_t version = 0;     // incremented for every description that differs from the one before
  std::vector<Codec> codecs = {Codec::pcmu, Codec::pcma};  // in order of preference
  bool events = true;                                      // telephone-event (RFC 4733)
  bool comfort_noise = false;  // offers CN (RFC 3389), so the peer may suppress silence
  bool held = false;           // offers to send only, which puts the peer on hold (RFC 3264 section 8.4)
  PayloadTypes types;
  LocalSecurity security;
};

// telephone-event in common; -1: the peer does not support it.
struct CommonEvents {
  int send_type = -1;
  int receive_type = -1;
  uint32_t clock_hz = 8000;  // that of the codec, or the peer's only one
};

// The peer's side of the stream, from its answer or offer.
struct RemoteMedia {
  SocketAddress rtp;
  SocketAddress rtcp;
  bool rtcp_mux = false;
  std::vector<CommonCodec> codecs;  // the first is to be sent; the peer may send each of them
  CommonEvents events;
  bool comfort_noise = false;  // in common (RFC 3389); its payload type is 13
  bool send = true;            // whether we may send; false while the peer holds the call
  bool receive = true;         // whether the peer sends
  AgreedSecurity security;
  uint32_t ptime_ms =
      20;  // packets to send: what the peer asks for, of lengths that the codec has, from 10 to 60 ms
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
  PayloadTypes types;  // for our later offers in this dialog
  std::vector<OfferedLine> lines;
};

std::string write_offer(const LocalMedia& local);

// Parses the answer to write_offer()'s offer. Code::unsupported: no audio that we support (no audio line,
// port 0, no common codec, security that the policy does not allow). Code::invalid: not SDP. `previous`: what
// was agreed on before in this dialog, whose role in DTLS we keep.
Result<RemoteMedia> parse_answer(const LocalMedia& offer, std::string_view text,
                                 const AgreedSecurity& previous = {});

// Parses an offer of the peer (INVITE, re-INVITE) and accepts the first audio line that we support, with the
// one codec of it that comes first in `local`; errors and `previous` as above, whose key we keep, too.
Result<RemoteOffer> parse_offer(const LocalMedia& local, std::string_view text,
                                const AgreedSecurity& previous = {});

std::string write_answer(const LocalMedia& local, const RemoteOffer& offer);

}  // namespace patchbay::lib
