#include "srtp/srtp_receiver.h"

#include <array>
#include <cstring>

#include "rtp/bytes.h"
#include "rtp/packet.h"

namespace patchbay::lib {
namespace {

constexpr size_t kMinRtcpBytes = 8;
constexpr unsigned long kReplayWindow = 1024;  // packets: more than a second of video
// Every 8th refused packet in a row is tried with the next roll-over count: the source is found again after
// 160 ms of audio, and refused packets cost an eighth more.
constexpr uint32_t kRefusedPerResync = 8;

size_t min_bytes(SrtpKind kind) { return kind == SrtpKind::rtp ? kRtpHeaderBytes : kMinRtcpBytes; }

}  // namespace

Result<std::unique_ptr<SrtpReceiver>> SrtpReceiver::create(const MasterKey& key, size_t max_sources) {
  PB_TRY_VALUE(const SrtpFunctions* const srtp, load_srtp());
  srtp_policy_t policy{};
  policy.ssrc.type = ssrc_any_inbound;
  srtp->policy_cm_80(&policy.rtcp);
  switch (key.profile()) {
    case SrtpProfile::aes128_cm_sha1_80:
      srtp->policy_cm_80(&policy.rtp);
      break;
    case SrtpProfile::aes128_cm_sha1_32:
      srtp->policy_cm_32(&policy.rtp);
      break;
    case SrtpProfile::aead_aes128_gcm:
      srtp->policy_gcm_128(&policy.rtp);
      srtp->policy_gcm_128(&policy.rtcp);
      break;
    case SrtpProfile::aead_aes256_gcm:
      srtp->policy_gcm_256(&policy.rtp);
      srtp->policy_gcm_256(&policy.rtcp);
      break;
  }
  policy.key = const_cast<unsigned char*>(key.key());  // libsrtp2 only reads it
  policy.window_size = kReplayWindow;
  srtp_t session = nullptr;
  if (srtp->create(&session, &policy) != srtp_err_status_ok)
    return Error{Code::unavailable, "libsrtp2 does not support " + std::string(info_of(key.profile()).name)};
  return std::unique_ptr<SrtpReceiver>(new SrtpReceiver(*srtp, session, max_sources));
}

SrtpReceiver::SrtpReceiver(const SrtpFunctions& srtp, srtp_t session, size_t max_sources)
    : srtp_(srtp), session_(session), max_sources_(max_sources) {
  sources_.reserve(max_sources_);
}

SrtpReceiver::~SrtpReceiver() { (void)srtp_.dealloc(session_); }

SrtpReceiver::Source* SrtpReceiver::find(uint32_t ssrc) noexcept {
  for (Source& source : sources_)
    if (source.ssrc == ssrc) return &source;
  return nullptr;
}

SrtpReceiver::Verdict SrtpReceiver::unprotect(SrtpKind kind, uint8_t* data, size_t& size) noexcept {
  if (size < min_bytes(kind) || size > kMaxRtpPacketBytes || data[0] >> 6 != 2) return Verdict::malformed;
  const uint32_t ssrc = read_u32(data + (kind == SrtpKind::rtp ? 8 : 4));
  Source* const source = find(ssrc);
  if (source == nullptr) {
    if (sources_.size() == max_sources_) return Verdict::too_many_sources;
    const Verdict verdict = try_packet(kind, data, size);
    if (verdict == Verdict::accepted) sources_.push_back({ssrc, 0});
    return verdict;
  }
  const bool resync = kind == SrtpKind::rtp && (source->refused_in_row + 1) % kRefusedPerResync == 0;
  std::array<uint8_t, kMaxRtpPacketBytes> copy;  // a failed attempt may change the packet
  if (resync) std::memcpy(copy.data(), data, size);
  const size_t whole_size = size;
  Verdict verdict = try_packet(kind, data, size);
  // After a long loss, packets also seem to be old ones.
  if (resync && (verdict == Verdict::forged || verdict == Verdict::replayed)) {
    size = whole_size;
    std::memcpy(data, copy.data(), size);
    if (try_next_roll_over(*source, data, size)) verdict = Verdict::accepted;
  }
  if (kind == SrtpKind::rtp)
    source->refused_in_row = verdict == Verdict::accepted ? 0 : source->refused_in_row + 1;
  return verdict;
}

SrtpReceiver::Verdict SrtpReceiver::try_packet(SrtpKind kind, uint8_t* data, size_t& size) noexcept {
  int length = static_cast<int>(size);
  const srtp_err_status_t status = kind == SrtpKind::rtp ? srtp_.unprotect(session_, data, &length)
                                                         : srtp_.unprotect_rtcp(session_, data, &length);
  switch (status) {
    case srtp_err_status_ok:
      if (length < 0 || static_cast<size_t>(length) > size) return Verdict::malformed;
      size = static_cast<size_t>(length);
      return Verdict::accepted;
    case srtp_err_status_replay_fail:
    case srtp_err_status_replay_old:
    case srtp_err_status_pkt_idx_old:
      return Verdict::replayed;
    case srtp_err_status_bad_param:
    case srtp_err_status_parse_err:
      return Verdict::malformed;
    default:
      return Verdict::forged;
  }
}

bool SrtpReceiver::try_next_roll_over(const Source& source, uint8_t* data, size_t& size) noexcept {
  uint32_t roll_over = 0;
  if (srtp_.get_stream_roc(session_, source.ssrc, &roll_over) != srtp_err_status_ok ||
      roll_over == UINT32_MAX)
    return false;
  (void)srtp_.set_stream_roc(session_, source.ssrc, roll_over + 1);
  const Verdict verdict = try_packet(SrtpKind::rtp, data, size);
  (void)srtp_.set_stream_roc(session_, source.ssrc, 0);  // 0: none is set any more
  return verdict == Verdict::accepted;
}

}  // namespace patchbay::lib
