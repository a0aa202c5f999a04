// What a media line says about codecs, for sdp_parse.cpp.
#pragma once

#include <string_view>

#include "sdp/sdp.h"

struct sdp_media_s;  // of sofia-sip

namespace patchbay::lib {

// Reads the codecs, telephone-event and CN that a media line has in common with `local`. In an answer the
// codecs have the peer's order, and its first one is sent. Returns false if there is no codec in common.
bool read_answered_codecs(const LocalMedia& local, const sdp_media_s* line, RemoteMedia& out);
// The same of an offer: chooses one codec, by the order of `local`, and replaces the types by those that the
// peer uses.
bool read_offered_codecs(const LocalMedia& local, const sdp_media_s* line, RemoteMedia& out,
                         PayloadTypes& types);

// What a peer's fmtp asks of our encoder (RFC 7587 section 6.1).
OpusOptions read_opus_fmtp(std::string_view fmtp);

}  // namespace patchbay::lib
