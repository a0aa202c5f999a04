// Handshakes with OpenSSL's own programs, s_client and s_server.
#include <doctest/doctest.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <patchbay/hex.h>

#include <fstream>
#include <optional>
#include <regex>

#include "plugins/lib/dtls/dtls_peers.h"
#include "rtp/socket.h"
#include "support/child_process.h"
#include "support/self_signed_certificate.h"

using namespace patchbay;
using namespace patchbay::lib;

namespace {

Fingerprint fingerprint_of_pem(const std::string& pem) {
  BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  X509* certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  const Fingerprint fingerprint = *fingerprint_of(*certificate, Fingerprint::Hash::sha384);
  X509_free(certificate);
  BIO_free(bio);
  return fingerprint;
}

// OpenSSL's program in a folder with its certificate, which wants that of its peer and prints what it agreed
// on.
class OpensslProgram {
 public:
  OpensslProgram() {
    const support::Certificate made = support::make_certificate();
    std::ofstream(folder_.file("cert.pem")) << made.certificate_pem;
    std::ofstream(folder_.file("key.pem")) << made.key_pem;
    fingerprint = fingerprint_of_pem(made.certificate_pem);
  }

  // Its standard input stays open, because it ends with that.
  void start(const std::string& arguments, const SrtpProfileInfo& profile) {
    const size_t exported = 2 * (size_t{profile.key_bytes} + profile.salt_bytes);
    const std::string command =
        "mkfifo in && exec openssl " + arguments +
        " -cert cert.pem -key key.pem -keymatexport EXTRACTOR-dtls_srtp -keymatexportlen " +
        std::to_string(exported) + " 0<>in";
    child_.emplace(*test::Child::spawn({"sh", "-c", command}, folder_.path(), folder_.file("output")));
  }
  // The first group of the pattern in its output; waits for it. Empty: it did not appear.
  std::string printed(const char* pattern) {
    for (int i = 0; i < 2000; ++i) {
      std::smatch match;
      const std::string text = test::read_text(folder_.file("output"));
      if (std::regex_search(text, match, std::regex(pattern))) return match[1];
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return {};
  }

  Fingerprint fingerprint;

 private:
  test::TempFolder folder_;
  std::optional<test::Child> child_;
};

const SocketAddress kLoopback = *SocketAddress::parse("127.0.0.1", 0);

// Runs the session over a socket until it leaves the handshake.
void run(DtlsTransport& transport, RtpSocket& socket, SocketAddress peer) {
  Datagram datagram;
  for (int i = 0; i < 3000 && transport.state() == State::handshake; ++i) {
    for (auto out = transport.take_outgoing(); !out.empty(); out = transport.take_outgoing())
      (void)socket.send(RtpSocket::Channel::rtp, peer, out.data(), out.size());
    while (socket.receive(RtpSocket::Channel::rtp, datagram)) {
      peer = datagram.sender;
      transport.receive({datagram.data.data(), datagram.size}, mono_ns());
    }
    transport.on_timer(mono_ns());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  for (auto out = transport.take_outgoing(); !out.empty(); out = transport.take_outgoing())
    (void)socket.send(RtpSocket::Channel::rtp, peer, out.data(), out.size());
}

// The client's key and salt, as the other side prints them, are what `keys` say.
void check_keys(const DtlsSrtpKeys& keys, bool is_client, const SrtpProfileInfo& profile,
                const std::string& hex) {
  const std::string exported = *from_hex(hex);
  const size_t key = profile.key_bytes, salt = profile.salt_bytes;
  REQUIRE(exported.size() == 2 * (key + salt));
  const std::string client = exported.substr(0, key) + exported.substr(2 * key, salt);
  const std::string server = exported.substr(key, key) + exported.substr(2 * key + salt, salt);
  CHECK(keys.sent.secret() == (is_client ? client : server));
  CHECK(keys.received.secret() == (is_client ? server : client));
}

const char* openssl_name(const SrtpProfileInfo& profile) {
  return profile.is_aead ? "SRTP_AEAD_AES_128_GCM" : "SRTP_AES128_CM_SHA1_80";
}

}  // namespace

TEST_CASE("openssl s_client agrees with our server on the keys") {
  for (const SrtpProfile one : {SrtpProfile::aead_aes128_gcm, SrtpProfile::aes128_cm_sha1_80}) {
    const SrtpProfileInfo& profile = info_of(one);
    CAPTURE(profile.name);
    OpensslProgram program;
    RtpSocket socket = *RtpSocket::open(kLoopback, 0, 0);
    const auto certificate = new_certificate();
    const auto server = *DtlsTransport::create(
        certificate, {.role = DtlsRole::server, .peer_fingerprints = {program.fingerprint}}, mono_ns());
    program.start("s_client -dtls1_2 -connect 127.0.0.1:" + std::to_string(socket.rtp_port()) +
                      " -use_srtp " + openssl_name(profile),
                  profile);
    run(*server, socket, {});
    REQUIRE(server->state() == State::connected);
    CHECK(server->keys()->sent.profile() == one);
    check_keys(*server->keys(), false, profile, program.printed("Keying material: ([0-9A-F]+)\n"));
    CHECK(program.printed("SRTP Extension negotiated, profile=(.*)\n") == openssl_name(profile));
  }
}

TEST_CASE("openssl s_server agrees with our client on the keys") {
  for (const SrtpProfile one : {SrtpProfile::aead_aes128_gcm, SrtpProfile::aes128_cm_sha1_80}) {
    const SrtpProfileInfo& profile = info_of(one);
    CAPTURE(profile.name);
    OpensslProgram program;
    program.start(std::string("s_server -dtls1_2 -accept 127.0.0.1:0 -Verify 1 -verify_quiet -use_srtp ") +
                      openssl_name(profile),
                  profile);
    const std::string port = program.printed("ACCEPT 127.0.0.1:([0-9]+)\n");
    REQUIRE_FALSE(port.empty());
    RtpSocket socket = *RtpSocket::open(kLoopback, 0, 0);
    const auto client = *DtlsTransport::create(
        new_certificate(), {.role = DtlsRole::client, .peer_fingerprints = {program.fingerprint}}, mono_ns());
    run(*client, socket, kLoopback.with_port(static_cast<uint16_t>(std::stoi(port))));
    REQUIRE(client->state() == State::connected);
    CHECK(client->keys()->sent.profile() == one);
    check_keys(*client->keys(), true, profile, program.printed("Keying material: ([0-9A-F]+)\n"));
  }
}
