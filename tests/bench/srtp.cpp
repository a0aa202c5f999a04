// Protecting what we send: libipsec-mb, as plugins/lib/srtp uses it, against srtp_protect() of libsrtp2. And
// what a received packet costs in libsrtp2.
#include <srtp2/srtp.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/pairs.h"
#include "rtp/bytes.h"
#include "srtp/multi_buffer.h"
#include "srtp/srtp_receiver.h"

using namespace patchbay;
using namespace patchbay::lib;

namespace {

constexpr size_t kPackets = 160'000;
constexpr size_t kRoom = 1500;

MasterKey key_of(SrtpProfile profile) {
  return *MasterKey::from(profile,
                          std::string(size_t{info_of(profile).key_bytes} + info_of(profile).salt_bytes, 'k'));
}

// A packet in its buffer; each run sends the next sequence number of each stream.
struct Stream {
  std::vector<uint8_t> buffer = std::vector<uint8_t>(kRoom, 0x55);
  uint16_t sequence = 0;

  uint8_t* next() {
    buffer[0] = 0x80;
    buffer[1] = 0;
    write_u16(&buffer[2], sequence++);
    write_u32(&buffer[8], 7);
    return buffer.data();
  }
};

template <class F>
double ns_per_packet(F f) {
  const double begin = bench::cpu_seconds_now();
  f();
  return (bench::cpu_seconds_now() - begin) * 1e9 / kPackets;
}

double by_multi_buffer(SrtpProfile profile, size_t size, size_t batch) {
  const auto multi_buffer = *MultiBuffer::create();
  std::vector<std::unique_ptr<SrtpSender>> senders;
  for (size_t i = 0; i < batch; ++i) senders.push_back(*SrtpSender::create(key_of(profile)));
  std::vector<Stream> streams(batch);
  std::vector<OutboundPacket> out(batch);
  return ns_per_packet([&] {
    for (size_t done = 0; done < kPackets; done += batch) {
      for (size_t i = 0; i < batch; ++i)
        out[i] = {senders[i].get(), SrtpKind::rtp, streams[i].next(), size, kRoom, false};
      multi_buffer->protect(out);
      for (const OutboundPacket& packet : out)
        if (!packet.is_protected) std::abort();
    }
  });
}

srtp_t libsrtp2_session(SrtpProfile profile, srtp_ssrc_type_t direction) {
  srtp_policy_t policy{};
  policy.ssrc.type = direction;
  const bool is_aead = info_of(profile).is_aead;
  (is_aead ? srtp_crypto_policy_set_aes_gcm_128_16_auth : srtp_crypto_policy_set_rtp_default)(&policy.rtp);
  (is_aead ? srtp_crypto_policy_set_aes_gcm_128_16_auth : srtp_crypto_policy_set_rtp_default)(&policy.rtcp);
  const MasterKey key = key_of(profile);
  policy.key = const_cast<unsigned char*>(key.key());
  srtp_t session = nullptr;
  if (srtp_create(&session, &policy) != srtp_err_status_ok) std::abort();
  return session;
}

double by_libsrtp2(SrtpProfile profile, size_t size) {
  srtp_t session = libsrtp2_session(profile, ssrc_any_outbound);
  Stream stream;
  const double ns = ns_per_packet([&] {
    for (size_t done = 0; done < kPackets; ++done) {
      int length = static_cast<int>(size);
      if (srtp_protect(session, stream.next(), &length) != srtp_err_status_ok) std::abort();
    }
  });
  srtp_dealloc(session);
  return ns;
}

double received(SrtpProfile profile, size_t size) {
  const auto multi_buffer = *MultiBuffer::create();
  const auto sender = *SrtpSender::create(key_of(profile));
  const auto receiver = *SrtpReceiver::create(key_of(profile));
  Stream stream;
  std::vector<std::vector<uint8_t>> packets;
  constexpr size_t kAtOnce = 1000;
  double ns = 0;
  for (size_t done = 0; done < kPackets; done += kAtOnce) {
    packets.clear();
    size_t whole = 0;
    for (size_t i = 0; i < kAtOnce; ++i) {
      OutboundPacket out{sender.get(), SrtpKind::rtp, stream.next(), size, kRoom, false};
      if (!multi_buffer->protect(out)) std::abort();
      whole = out.size;
      packets.emplace_back(out.data, out.data + out.size);
    }
    ns += ns_per_packet([&] {
      for (auto& packet : packets) {
        size_t length = whole;
        if (receiver->unprotect(SrtpKind::rtp, packet.data(), length) != SrtpReceiver::Verdict::accepted)
          std::abort();
      }
    });
  }
  return ns;
}

}  // namespace

int main() {
  if (!load_srtp()) return 1;
  for (const SrtpProfile profile : {SrtpProfile::aes128_cm_sha1_80, SrtpProfile::aead_aes128_gcm})
    for (const size_t size : {172, 1172}) {
      std::vector<bench::Side<std::function<double()>>> sides{
          {"libsrtp2, protect", [=] { return by_libsrtp2(profile, size); }}};
      for (const size_t batch : {1, 4, 8, 32})
        sides.push_back({"libipsec-mb, " + std::to_string(batch) + " at once",
                         [=] { return by_multi_buffer(profile, size, batch); }});
      sides.push_back({"libsrtp2, unprotect", [=] { return received(profile, size); }});
      bench::run_rounds(std::string(info_of(profile).name) + ", " + std::to_string(size) + " bytes",
                        "ns of processor time per packet", sides);
    }
}
