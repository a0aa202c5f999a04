// Datagrams of an unknown peer: to the demultiplexer, to the parser of fingerprints, and to a server and a
// client at the point of the handshake that the first byte chooses.
#include <array>
#include <cstdlib>
#include <span>
#include <vector>

#include "dtls/dtls_transport.h"
#include "rtp/datagram_kind.h"

using namespace patchbay::lib;

namespace {

constexpr int64_t kNow = 1'000'000'000;

std::shared_ptr<const DtlsCertificate> certificate() {
  static const auto one = *DtlsCertificate::create();
  return one;
}

std::unique_ptr<DtlsTransport> session(DtlsRole role, bool cookie) {
  return *DtlsTransport::create(
      certificate(), {.role = role, .peer_fingerprints = {certificate()->fingerprint()}, .cookie = cookie},
      kNow);
}

// Up to `flights` datagrams each way.
void exchange(DtlsTransport& client, DtlsTransport& server, int flights) {
  for (int i = 0; i < flights; ++i) {
    for (auto out = client.take_outgoing(); !out.empty(); out = client.take_outgoing())
      server.receive(out, kNow);
    for (auto out = server.take_outgoing(); !out.empty(); out = server.take_outgoing())
      client.receive(out, kNow);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)datagram_kind(data, size);
  const auto fingerprint = parse_fingerprint({reinterpret_cast<const char*>(data), size});
  if (fingerprint && !(*parse_fingerprint(to_text(*fingerprint)) == *fingerprint)) std::abort();
  if (size == 0) return 0;
  const std::span<const uint8_t> datagram(data + 1, size - 1);
  const auto client = session(DtlsRole::client, false);
  const auto server = session(DtlsRole::server, (data[0] & 1) != 0);
  exchange(*client, *server, data[0] / 2 % 4);
  server->receive(datagram, kNow);
  client->receive(datagram, kNow);
  // Neither may take unauthenticated bytes for the end of a good handshake.
  if (data[0] / 2 % 4 == 0 && (client->keys() || server->keys())) std::abort();
  return 0;
}
