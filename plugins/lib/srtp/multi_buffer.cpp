#include "srtp/multi_buffer.h"

#include <cstring>
#include <utility>

#include "rtp/bytes.h"
#include "srtp/clear_header.h"

namespace patchbay::lib {
namespace {

// From this number of packets on, the wide instructions are faster than the narrow ones with their SHA
// extensions.
constexpr size_t kMinWide = 6;
constexpr uint32_t kEncrypted = uint32_t{1} << 31;  // the flag E before the index of SRTCP

void xor_u32(uint8_t* at, uint32_t value) noexcept { write_u32(at, read_u32(at) ^ value); }

// RFC 3711 section 4.1.1.
void write_counter(const uint8_t* salt, uint32_t ssrc, uint64_t index, uint8_t* out) noexcept {
  std::memcpy(out, salt, 14);
  out[14] = out[15] = 0;
  xor_u32(out + 4, ssrc);
  xor_u32(out + 8, static_cast<uint32_t>(index >> 16));
  out[12] ^= static_cast<uint8_t>(index >> 8);
  out[13] ^= static_cast<uint8_t>(index);
}

// RFC 7714 sections 8.1 and 9.1: the index fills the last 6 bytes.
void write_nonce(const uint8_t* salt, uint32_t ssrc, uint64_t index, uint8_t* out) noexcept {
  std::memcpy(out, salt, 12);
  xor_u32(out + 2, ssrc);
  out[6] ^= static_cast<uint8_t>(index >> 40);
  out[7] ^= static_cast<uint8_t>(index >> 32);
  xor_u32(out + 8, static_cast<uint32_t>(index));
}

uint32_t ssrc_of(const OutboundPacket& packet) noexcept {
  return read_u32(packet.data + (packet.kind == SrtpKind::rtp ? 8 : 4));
}

}  // namespace

Result<std::unique_ptr<MultiBuffer>> MultiBuffer::create() {
  PB_TRY_VALUE(const IpsecMbFunctions* const imb, load_ipsec_mb());
  PB_TRY_VALUE(IpsecMbFunctions::Manager wide, create_wide_manager(*imb));
  PB_TRY_VALUE(IpsecMbFunctions::Manager narrow, create_narrow_manager(*imb));
  return std::unique_ptr<MultiBuffer>(new MultiBuffer(std::move(wide), std::move(narrow)));
}

void MultiBuffer::protect(std::span<OutboundPacket> packets) noexcept {
  size_t waiting = 0;
  for (OutboundPacket& packet : packets) {
    packet.is_protected = false;
    if (packet.sender->profile().is_aead) {
      packet.is_protected = protect_aead(packet);  // not faster together with others
    } else if (prepare(packet, slots_[waiting]) && ++waiting == kBatch) {
      run(std::exchange(waiting, 0));
    }
  }
  if (waiting > 0) run(waiting);
}

// Sets all of `slot` for a packet of AES-CM, and writes what is hashed behind the packet.
bool MultiBuffer::prepare(OutboundPacket& packet, Slot& slot) noexcept {
  const size_t clear = clear_header_bytes(packet.kind, packet.data, packet.size);
  if (clear == 0 || packet.capacity < packet.size + kMaxSrtpTrailerBytes) return false;
  const uint32_t ssrc = ssrc_of(packet);
  const uint8_t* salt = packet.sender->prepared(packet.kind).salt.data();
  if (packet.kind == SrtpKind::rtp) {
    const auto index = packet.sender->use_rtp_index(ssrc, read_u16(packet.data + 2));
    if (!index) return false;
    write_counter(salt, ssrc, *index, slot.counter.data());
    write_u32(packet.data + packet.size, static_cast<uint32_t>(*index >> 16));
  } else {
    const auto index = packet.sender->use_rtcp_index(ssrc);
    if (!index) return false;
    write_counter(salt, ssrc, *index, slot.counter.data());
    write_u32(packet.data + packet.size, kEncrypted | *index);
  }
  slot.packet = &packet;
  slot.clear_bytes = clear;
  slot.hashed_bytes = packet.size + 4;
  return true;
}

void MultiBuffer::run(size_t count) noexcept {
  IMB_MGR& imb = count >= kMinWide ? *wide_ : *narrow_;
  for (size_t i = 0; i < count; ++i) submit(imb, slots_[i]);
  while (IMB_JOB* job = IMB_FLUSH_JOB(&imb)) finish(*job);
}

void MultiBuffer::submit(IMB_MGR& imb, Slot& slot) noexcept {
  const OutboundPacket& packet = *slot.packet;
  const SrtpSender::Prepared& keys = packet.sender->prepared(packet.kind);
  IMB_JOB* job = IMB_GET_NEXT_JOB(&imb);
  const size_t text_bytes = packet.size - slot.clear_bytes;
  job->cipher_mode = text_bytes > 0 ? IMB_CIPHER_CNTR : IMB_CIPHER_NULL;  // it refuses to encrypt nothing
  job->cipher_direction = IMB_DIR_ENCRYPT;
  job->hash_alg = IMB_AUTH_HMAC_SHA_1;
  job->chain_order = IMB_ORDER_CIPHER_HASH;
  job->enc_keys = keys.encrypt.data();
  job->dec_keys = keys.decrypt.data();
  job->key_len_in_bytes = 16;
  job->iv = slot.counter.data();
  job->iv_len_in_bytes = slot.counter.size();
  job->src = packet.data;
  job->dst = packet.data + slot.clear_bytes;
  job->cipher_start_src_offset_in_bytes = slot.clear_bytes;
  job->msg_len_to_cipher_in_bytes = text_bytes;
  job->hash_start_src_offset_in_bytes = 0;
  job->msg_len_to_hash_in_bytes = slot.hashed_bytes;
  job->u.HMAC._hashed_auth_key_xor_ipad = keys.inner.data();
  job->u.HMAC._hashed_auth_key_xor_opad = keys.outer.data();
  job->auth_tag_output = slot.tag.data();
  job->auth_tag_output_len_in_bytes = slot.tag.size();
  job->user_data = &slot;
  for (job = IMB_SUBMIT_JOB(&imb); job != nullptr; job = IMB_GET_COMPLETED_JOB(&imb)) finish(*job);
}

void MultiBuffer::finish(IMB_JOB& job) noexcept {
  if (job.status != IMB_STATUS_COMPLETED) return;
  const Slot& slot = *static_cast<const Slot*>(job.user_data);
  OutboundPacket& packet = *slot.packet;
  const SrtpProfileInfo& profile = packet.sender->profile();
  const bool is_rtp = packet.kind == SrtpKind::rtp;
  const size_t tag_bytes = is_rtp ? profile.rtp_tag_bytes : profile.rtcp_tag_bytes;
  // In RTP the tag replaces the roll-over count, which is hashed but not sent.
  const size_t at = is_rtp ? packet.size : slot.hashed_bytes;
  std::memcpy(packet.data + at, slot.tag.data(), tag_bytes);
  packet.size = at + tag_bytes;
  packet.is_protected = true;
}

bool MultiBuffer::protect_aead(OutboundPacket& packet) noexcept {
  const size_t clear = clear_header_bytes(packet.kind, packet.data, packet.size);
  if (clear == 0 || packet.capacity < packet.size + kMaxSrtpTrailerBytes) return false;
  const uint32_t ssrc = ssrc_of(packet);
  const SrtpSender::Prepared& keys = packet.sender->prepared(packet.kind);
  const SrtpProfileInfo& profile = packet.sender->profile();
  std::array<uint8_t, 12> nonce;
  std::array<uint8_t, 12> rtcp_header;  // 8 bytes, and the index
  const uint8_t* authenticated = packet.data;
  size_t authenticated_bytes = clear;
  if (packet.kind == SrtpKind::rtp) {
    const auto index = packet.sender->use_rtp_index(ssrc, read_u16(packet.data + 2));
    if (!index) return false;
    write_nonce(keys.salt.data(), ssrc, *index, nonce.data());
  } else {
    const auto index = packet.sender->use_rtcp_index(ssrc);
    if (!index) return false;
    write_nonce(keys.salt.data(), ssrc, *index, nonce.data());
    std::memcpy(rtcp_header.data(), packet.data, 8);
    write_u32(rtcp_header.data() + 8, kEncrypted | *index);
    authenticated = rtcp_header.data();
    authenticated_bytes = rtcp_header.size();
  }
  gcm_context_data context;
  uint8_t* const text = packet.data + clear;
  uint8_t* const tag = packet.data + packet.size;
  if (profile.key_bytes == 16)
    IMB_AES128_GCM_ENC(wide_.get(), &keys.gcm, &context, text, text, packet.size - clear, nonce.data(),
                       authenticated, authenticated_bytes, tag, profile.rtp_tag_bytes);
  else
    IMB_AES256_GCM_ENC(wide_.get(), &keys.gcm, &context, text, text, packet.size - clear, nonce.data(),
                       authenticated, authenticated_bytes, tag, profile.rtp_tag_bytes);
  packet.size += profile.rtp_tag_bytes;
  if (packet.kind == SrtpKind::rtcp) {
    std::memcpy(packet.data + packet.size, rtcp_header.data() + 8, 4);
    packet.size += 4;
  }
  return true;
}

}  // namespace patchbay::lib
