// One datagram of an unknown sender through the SRTP and SRTCP receivers of every profile, and through
// protection and back, which must give the same bytes.
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "srtp/multi_buffer.h"
#include "srtp/srtp_receiver.h"

using namespace patchbay::lib;

namespace {

struct Path {
  explicit Path(SrtpProfile profile)
      : key(*MasterKey::from(
            profile, std::string(size_t{info_of(profile).key_bytes} + info_of(profile).salt_bytes, 'k'))),
        sender(*SrtpSender::create(key, 1)),
        receiver(*SrtpReceiver::create(key)) {}

  MasterKey key;
  std::unique_ptr<SrtpSender> sender;
  std::unique_ptr<SrtpReceiver> receiver;
};

std::vector<Path>& paths() {
  static std::vector<Path> all = [] {
    std::vector<Path> made;
    for (const SrtpProfileInfo& profile : kSrtpProfiles) made.emplace_back(profile.profile);
    return made;
  }();
  return all;
}

void receive(Path& path, SrtpKind kind, const uint8_t* data, size_t size) {
  std::vector<uint8_t> copy(data, data + size);
  if (path.receiver->unprotect(kind, copy.data(), size) == SrtpReceiver::Verdict::accepted) std::abort();
}

void there_and_back(Path& path, SrtpKind kind, const uint8_t* data, size_t size) {
  static const std::unique_ptr<MultiBuffer> multi_buffer = *MultiBuffer::create();
  std::vector<uint8_t> packet(data, data + size);
  packet.resize(size + kMaxSrtpTrailerBytes);
  // New contexts, because the sender has one source and no packet twice.
  path.sender = *SrtpSender::create(path.key, 1);
  path.receiver = *SrtpReceiver::create(path.key);
  OutboundPacket out{path.sender.get(), kind, packet.data(), size, packet.size()};
  if (!multi_buffer->protect(out) || out.size > 1500) return;
  if (path.receiver->unprotect(kind, packet.data(), out.size) != SrtpReceiver::Verdict::accepted ||
      out.size != size || std::memcmp(packet.data(), data, size) != 0)
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (Path& path : paths())
    for (const SrtpKind kind : {SrtpKind::rtp, SrtpKind::rtcp}) {
      receive(path, kind, data, size);
      there_and_back(path, kind, data, size);
    }
  return 0;
}
