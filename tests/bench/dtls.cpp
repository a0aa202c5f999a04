// A DTLS handshake that agrees on SRTP keys, both sides of it, against the public-key operations that it
// cannot do without.
#include <openssl/ec.h>
#include <openssl/evp.h>

#include <array>
#include <cstdlib>
#include <memory>

#include "bench/pairs.h"
#include "dtls/dtls_transport.h"

using namespace patchbay::lib;

namespace {

constexpr int kHandshakes = 300;

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

template <class F>
double us_per_handshake(F f) {
  const double begin = patchbay::bench::cpu_seconds_now();
  for (int i = 0; i < kHandshakes; ++i) f();
  return (patchbay::bench::cpu_seconds_now() - begin) * 1e6 / kHandshakes;
}

void expect(bool ok) {
  if (!ok) std::abort();
}

void derive(EVP_PKEY* ours, EVP_PKEY* peers) {
  const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> context(EVP_PKEY_CTX_new(ours, nullptr),
                                                                            &EVP_PKEY_CTX_free);
  std::array<unsigned char, 32> secret;
  size_t size = secret.size();
  expect(EVP_PKEY_derive_init(context.get()) == 1 && EVP_PKEY_derive_set_peer(context.get(), peers) == 1 &&
         EVP_PKEY_derive(context.get(), secret.data(), &size) == 1);
}

void sign_and_verify(EVP_PKEY* key) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  const std::array<unsigned char, 100> text{};
  std::array<unsigned char, 80> signature;
  size_t size = signature.size();
  expect(EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key) == 1 &&
         EVP_DigestSign(context.get(), signature.data(), &size, text.data(), text.size()) == 1);
  EVP_MD_CTX_reset(context.get());
  expect(EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key) == 1 &&
         EVP_DigestVerify(context.get(), signature.data(), size, text.data(), text.size()) == 1);
}

}  // namespace

int main() {
  const auto client_certificate = *DtlsCertificate::create(), server_certificate = *DtlsCertificate::create();
  const auto handshake = [&] {
    const auto client = *DtlsTransport::create(
        client_certificate,
        {.role = DtlsRole::client, .peer_fingerprints = {server_certificate->fingerprint()}}, 0);
    const auto server = *DtlsTransport::create(
        server_certificate,
        {.role = DtlsRole::server, .peer_fingerprints = {client_certificate->fingerprint()}}, 0);
    for (int i = 0; i < 5 && !client->keys(); ++i) {
      for (auto out = client->take_outgoing(); !out.empty(); out = client->take_outgoing())
        server->receive(out, 0);
      for (auto out = server->take_outgoing(); !out.empty(); out = server->take_outgoing())
        client->receive(out, 0);
    }
    expect(client->keys() && server->keys());
  };
  const Key signer(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  const auto operations = [&] {
    const Key a(EVP_PKEY_Q_keygen(nullptr, nullptr, "X25519"), &EVP_PKEY_free);
    const Key b(EVP_PKEY_Q_keygen(nullptr, nullptr, "X25519"), &EVP_PKEY_free);
    derive(a.get(), b.get());
    derive(b.get(), a.get());
    sign_and_verify(signer.get());
    sign_and_verify(signer.get());
  };
  patchbay::bench::run_pairs(
      "DTLS handshake, both sides", "us of processor time",
      patchbay::bench::Side{"handshake", [&] { return us_per_handshake(handshake); }},
      patchbay::bench::Side{"operations", [&] { return us_per_handshake(operations); }});
}
