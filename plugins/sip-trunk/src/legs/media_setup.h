// MediaSetup: offer and answer (RFC 3264) of one call. Writes our SDP, reads the peer's, and applies it
// to the audio port and to the media watch: addresses, codec, telephone events, hold.
#pragma once

#include <patchbay/function.h>
#include <patchbay/result.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "dtls/dtls_transport.h"
#include "legs/leg_port.h"
#include "legs/media_watch.h"
#include "read_settings.h"
#include "sdp/sdp.h"
#include "secure/secure_media.h"

namespace patchbay::sip_trunk {

// What a DTLS session needs.
struct DtlsAgreement {
  std::shared_ptr<const lib::DtlsCertificate> certificate;
  lib::AgreedSecurity agreed;
  lib::SocketAddress remote;
  lib::SocketAddress signalling;
};

// Any thread: the main strand negotiates the INVITE, the sip thread every re-INVITE.
class MediaSetup {
 public:
  // The port and the watch outlive this.
  MediaSetup(const ServerSettings& server, LegPort& port, MediaWatch& watch);

  // Sets how the next offers and answers are encrypted, and makes new keys. Call it before offer() or
  // answer_invite(). Error: no keys can be made.
  Status use_security(const TrunkAccess& trunk, int64_t now_ns);
  // Calls f(agreed, peer) with the lock held for each offer and answer with DTLS, on the thread that
  // negotiates. The sink gets its datagrams.
  void on_dtls(lib::DtlsSink& sink, Function<void(const DtlsAgreement&)> f);
  // "sdes" or "dtls" with the profile, once the audio is encrypted; both empty otherwise.
  std::pair<std::string, std::string> encryption() const;
  // Encrypts with the keys that DTLS has agreed on.
  Status set_dtls_keys(const lib::DtlsSrtpKeys& keys);

  // Returns the offer for an INVITE to `trunk`, with the codecs of `allowed`.
  std::string offer(const lib::SocketAddress& trunk, const TrunkMedia& allowed);
  // Answers the INVITE that came from `trunk`, as answer() does a re-INVITE.
  Result<std::string> answer_invite(const lib::SocketAddress& trunk, const TrunkMedia& allowed,
                                    std::string_view sdp);
  // Keeps the answer to offer(), which came from that address, from where media may also come, until
  // apply_first_answer() runs on another thread: a re-INVITE that is sooner is applied after it.
  void keep_first_answer(std::string_view sdp, std::string_view from_ip);
  // Applies it, unless a re-INVITE has. Error: it has no usable media.
  Status apply_first_answer(std::string_view sdp, std::string_view from_ip);
  // Applies the answer to a later offer. Error: it has no usable media.
  Status apply_answer(std::string_view sdp);
  // Answers a re-INVITE and applies its offer; for an empty one returns an offer of ours. Error: it has no
  // usable media.
  Result<std::string> answer(std::string_view sdp);

  // Of a negotiation for a dialog that is to take the call over from the one of `other`: the port stays as it
  // is until use_port(). The new dialog is held if the other one is.
  void follow(const MediaSetup& other);
  // Whether what is agreed on is applied to the port, or refused, because another negotiation has it.
  void use_port(bool is_used);

  // Returns an offer for a re-INVITE that holds or resumes the call.
  std::string reoffer(bool held);
  // Applies its answer. Code::denied: the peer has refused it, so that the media stay as they are.
  Status reoffer_answered(int status, std::string_view sdp);

 private:
  lib::SocketAddress announced_address(const lib::SocketAddress& trunk) const;
  void begin(const lib::SocketAddress& trunk, const TrunkMedia& allowed);
  Status apply(const lib::RemoteMedia& remote);
  Status apply_from(std::string_view sdp, std::string_view ip);
  Status apply_security(const lib::RemoteMedia& remote, const lib::SocketAddress& signalling);
  Result<std::unique_ptr<lib::StreamCodecs>> make_codecs(const lib::RemoteMedia& remote);

  // borrowed
  LegPort& port_;
  MediaWatch& watch_;
  // owned
  const std::string advertise_;
  const std::string media_ip_;
  const std::shared_ptr<SecureMedia> secure_media_;
  Function<void(const DtlsAgreement&)> start_dtls_;
  // state
  mutable std::mutex mutex_;  // guards the next ones
  lib::LocalMedia local_;
  std::string signalling_ip_;
  lib::AgreedSecurity agreed_;
  struct FirstAnswer {
    std::string sdp;
    std::string from_ip;
    std::optional<Status> applied;
  };
  std::optional<FirstAnswer> first_answer_;
  bool suppress_silence_ = false;  // of the trunk
  bool is_held_ = false;           // by us, as the peer knows it
  bool rtcp_mux_ = false;
  bool has_port_ = true;
  std::shared_ptr<const lib::DtlsCertificate> certificate_;  // of DTLS
  lib::DtlsSink* dtls_sink_ = nullptr;
  std::shared_ptr<SrtpProtection> protection_;  // shared with the stream
};

}  // namespace patchbay::sip_trunk
