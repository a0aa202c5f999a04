#include "srtp/srtp_receiver.h"

#include <arpa/inet.h>

#include <algorithm>
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

// The key is borrowed by the policy; libsrtp2 only reads it.
srtp_policy_t policy_of(const SrtpFunctions& srtp, const MasterKey& key, srtp_ssrc_t ssrc) {
  srtp_policy_t policy{};
  policy.ssrc = ssrc;
  srtp.policy_cm_80(&policy.rtcp);
  switch (key.profile()) {
    case SrtpProfile::aes128_cm_sha1_80:
      srtp.policy_cm_80(&policy.rtp);
      break;
    case SrtpProfile::aes128_cm_sha1_32:
      srtp.policy_cm_32(&policy.rtp);
      break;
    case SrtpProfile::aead_aes128_gcm:
      srtp.policy_gcm_128(&policy.rtp);
      srtp.policy_gcm_128(&policy.rtcp);
      break;
    case SrtpProfile::aead_aes256_gcm:
      srtp.policy_gcm_256(&policy.rtp);
      srtp.policy_gcm_256(&policy.rtcp);
      break;
  }
  policy.key = const_cast<unsigned char*>(key.key());
  policy.window_size = kReplayWindow;
  return policy;
}

}  // namespace

Result<std::unique_ptr<SrtpReceiver>> SrtpReceiver::create(const MasterKey& key, size_t max_sources) {
  PB_TRY_VALUE(const SrtpFunctions* const srtp, load_srtp());
  const srtp_policy_t policy = policy_of(*srtp, key, {ssrc_any_inbound, 0});
  srtp_t session = nullptr;
  if (srtp->create(&session, &policy) != srtp_err_status_ok)
    return Error{Code::unavailable, "libsrtp2 does not support " + std::string(info_of(key.profile()).name)};
  return std::unique_ptr<SrtpReceiver>(new SrtpReceiver(*srtp, key, session, max_sources));
}

SrtpReceiver::SrtpReceiver(const SrtpFunctions& srtp, const MasterKey& key, srtp_t session,
                           size_t max_sources)
    : srtp_(srtp), key_(key), session_(session), max_sources_(max_sources) {
  sources_.reserve(max_sources_);
}

SrtpReceiver::~SrtpReceiver() { (void)srtp_.dealloc(session_); }

const SrtpReceiver::Source* SrtpReceiver::find(uint32_t ssrc) const noexcept {
  for (const Source& source : sources_)
    if (source.ssrc == ssrc) return &source;
  return nullptr;
}

SrtpReceiver::Source& SrtpReceiver::add(uint32_t ssrc) noexcept {
  if (sources_.size() < max_sources_) return sources_.emplace_back(Source{.ssrc = ssrc});
  Source& oldest = *std::min_element(sources_.begin(), sources_.end(),
                                     [](const Source& a, const Source& b) { return a.used < b.used; });
  (void)srtp_.remove_stream(session_, htonl(oldest.ssrc));
  return oldest = Source{.ssrc = ssrc};
}

SrtpReceiver::Verdict SrtpReceiver::unprotect(SrtpKind kind, uint8_t* data, size_t& size,
                                              const SrtpReceiver* before) noexcept {
  if (size < min_bytes(kind) || size > kMaxRtpPacketBytes || data[0] >> 6 != 2) return Verdict::malformed;
  const bool is_rtp = kind == SrtpKind::rtp;
  const uint32_t ssrc = read_u32(data + (is_rtp ? 8 : 4));
  auto* source = const_cast<Source*>(find(ssrc));
  uint32_t& refused = source != nullptr ? source->refused_in_row : refused_unknown_;
  // Further sources begin at 0, so that forged ones of a flood cost nothing here.
  const bool resync = is_rtp && (refused + 1) % kRefusedPerResync == 0 && (source != nullptr || !has_rtp_);
  std::array<uint8_t, kMaxRtpPacketBytes> copy;  // a failed attempt may change the packet
  if (resync) std::memcpy(copy.data(), data, size);
  const size_t whole_size = size;
  Verdict verdict = try_packet(kind, data, size);
  // After a long loss, packets also seem to be old ones.
  if (resync && (verdict == Verdict::forged || verdict == Verdict::replayed)) {
    size = whole_size;
    std::memcpy(data, copy.data(), size);
    if (try_other_roll_overs(source, ssrc, data, size, before)) verdict = Verdict::accepted;
  }
  if (is_rtp) refused = verdict == Verdict::accepted ? 0 : refused + 1;
  if (verdict != Verdict::accepted) return verdict;
  if (source == nullptr) source = &add(ssrc);
  source->used = ++accepted_;
  if (is_rtp) source->has_rtp = has_rtp_ = true;
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

// The next count of a source that is known. Of another one, the count that it had with the key before, or
// the next: it may have begun short of 2^16, or go on counting.
bool SrtpReceiver::try_other_roll_overs(const Source* source, uint32_t ssrc, uint8_t* data, size_t& size,
                                        const SrtpReceiver* before) noexcept {
  if (source != nullptr && source->has_rtp) return try_roll_over(ssrc, roll_over_of(ssrc) + 1, data, size);
  if (source == nullptr) {
    const srtp_policy_t policy = policy_of(srtp_, key_, {ssrc_specific, ssrc});
    if (srtp_.add_stream(session_, &policy) != srtp_err_status_ok) return false;
  }
  const uint32_t last = before != nullptr ? before->roll_over_of(ssrc) : 0;
  if (try_roll_over(ssrc, last, data, size) || try_roll_over(ssrc, last + 1, data, size)) return true;
  if (source == nullptr) (void)srtp_.remove_stream(session_, htonl(ssrc));
  return false;
}

// Leaves the packet as it is unless it is accepted. 0 was tried already.
bool SrtpReceiver::try_roll_over(uint32_t ssrc, uint32_t count, uint8_t* data, size_t& size) noexcept {
  if (count == 0) return false;
  std::array<uint8_t, kMaxRtpPacketBytes> copy;
  const size_t whole_size = size;
  std::memcpy(copy.data(), data, size);
  (void)srtp_.set_stream_roc(session_, ssrc, count);
  if (try_packet(SrtpKind::rtp, data, size) == Verdict::accepted) return true;
  (void)srtp_.set_stream_roc(session_, ssrc, 0);  // 0: none is set any more
  size = whole_size;
  std::memcpy(data, copy.data(), size);
  return false;
}

// 0 for a source that is not known.
uint32_t SrtpReceiver::roll_over_of(uint32_t ssrc) const noexcept {
  uint32_t count = 0;
  return srtp_.get_stream_roc(session_, ssrc, &count) == srtp_err_status_ok ? count : 0;
}

}  // namespace patchbay::lib
