#include "srtp/srtp_sender.h"

#include <openssl/crypto.h>

#include <cstring>

namespace patchbay::lib {
namespace {

constexpr uint32_t kMaxRtcpIndex = (uint32_t{1} << 31) - 1;

// SHA-1 of the block key XOR `pad`, with which each HMAC begins (RFC 2104).
void hash_hmac_block(IMB_MGR& imb, const std::array<uint8_t, 20>& key, uint8_t pad, uint8_t* out) {
  std::array<uint8_t, IMB_SHA1_BLOCK_SIZE> block;
  block.fill(pad);
  for (size_t i = 0; i < key.size(); ++i) block[i] ^= key[i];
  IMB_SHA1_ONE_BLOCK(&imb, block.data(), out);
  OPENSSL_cleanse(block.data(), block.size());
}

}  // namespace

Result<std::unique_ptr<SrtpSender>> SrtpSender::create(const MasterKey& key, size_t max_sources) {
  PB_TRY_VALUE(const SessionKeys rtp, derive_session_keys(key, SrtpKind::rtp));
  PB_TRY_VALUE(const SessionKeys rtcp, derive_session_keys(key, SrtpKind::rtcp));
  return create(key.profile(), rtp, rtcp, max_sources);
}

Result<std::unique_ptr<SrtpSender>> SrtpSender::create(SrtpProfile profile, const SessionKeys& rtp,
                                                       const SessionKeys& rtcp, size_t max_sources) {
  PB_TRY_VALUE(const IpsecMbFunctions* const imb, load_ipsec_mb());
  std::unique_ptr<SrtpSender> sender(new SrtpSender(profile, max_sources));
  prepare(rtp, sender->profile_, *imb->stateless, sender->prepared_[0]);
  prepare(rtcp, sender->profile_, *imb->stateless, sender->prepared_[1]);
  return sender;
}

SrtpSender::SrtpSender(SrtpProfile profile, size_t max_sources)
    : profile_(info_of(profile)), max_sources_(max_sources) {
  sources_.reserve(max_sources_);
}

SrtpSender::~SrtpSender() { OPENSSL_cleanse(prepared_.data(), sizeof(prepared_)); }

void SrtpSender::prepare(const SessionKeys& keys, const SrtpProfileInfo& profile, IMB_MGR& imb,
                         Prepared& out) {
  out.salt = keys.salt;
  if (profile.is_aead) {
    if (profile.key_bytes == 16)
      IMB_AES128_GCM_PRE(&imb, keys.cipher.data(), &out.gcm);
    else
      IMB_AES256_GCM_PRE(&imb, keys.cipher.data(), &out.gcm);
    return;
  }
  IMB_AES_KEYEXP_128(&imb, keys.cipher.data(), out.encrypt.data(), out.decrypt.data());
  hash_hmac_block(imb, keys.authentication, 0x36, out.inner.data());
  hash_hmac_block(imb, keys.authentication, 0x5c, out.outer.data());
}

SrtpSender::Source* SrtpSender::source_of(uint32_t ssrc) noexcept {
  for (Source& source : sources_)
    if (source.ssrc == ssrc) return &source;
  if (sources_.size() == max_sources_) return nullptr;
  sources_.emplace_back();
  sources_.back().ssrc = ssrc;
  return &sources_.back();
}

std::optional<uint64_t> SrtpSender::use_rtp_index(uint32_t ssrc, uint16_t sequence) noexcept {
  Source* const source = source_of(ssrc);
  return source != nullptr ? source->rtp.use(sequence) : std::nullopt;
}

std::optional<uint32_t> SrtpSender::use_rtcp_index(uint32_t ssrc) noexcept {
  Source* const source = source_of(ssrc);
  if (source == nullptr || source->next_rtcp > kMaxRtcpIndex) return std::nullopt;
  return source->next_rtcp++;
}

}  // namespace patchbay::lib
