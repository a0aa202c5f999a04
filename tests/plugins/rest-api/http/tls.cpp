#include <doctest/doctest.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <vector>

#include "http_server_fixture.h"

using namespace rest_api_test;

namespace {

// A key and a certificate signed with it, in a temporary folder.
class Certificate {
 public:
  Certificate() {
    static int count = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("patchbay-tls-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(folder_);
    write(1);
  }
  ~Certificate() { std::filesystem::remove_all(folder_); }

  TlsFiles files() const { return {(folder_ / "cert.pem").string(), (folder_ / "key.pem").string()}; }
  std::filesystem::path path(const char* name) const { return folder_ / name; }

  void write(long serial) const {
    EVP_PKEY* key = EVP_EC_gen("P-256");
    X509* certificate = X509_new();
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial);
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    auto* name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("localhost"),
                               -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    X509_sign(certificate, key, EVP_sha256());
    FILE* out = std::fopen(files().certificate.c_str(), "w");
    PEM_write_X509(out, certificate);
    std::fclose(out);
    out = std::fopen(files().key.c_str(), "w");
    PEM_write_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(out);
    X509_free(certificate);
    EVP_PKEY_free(key);
  }

 private:
  std::filesystem::path folder_;
};

class TlsClient {
 public:
  explicit TlsClient(uint16_t port, int highest = TLS1_3_VERSION, const char* ciphers = nullptr,
                     const std::string& protocol = "")
      : socket_(port) {
    std::signal(SIGPIPE, SIG_IGN);
    context_ = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_security_level(context_, 0);
    SSL_CTX_set_min_proto_version(context_, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context_, highest);
    if (ciphers != nullptr) SSL_CTX_set_cipher_list(context_, ciphers);
    ssl_ = SSL_new(context_);
    const std::string offer = static_cast<char>(protocol.size()) + protocol;
    if (!protocol.empty())
      SSL_set_alpn_protos(ssl_, reinterpret_cast<const unsigned char*>(offer.data()),
                          static_cast<unsigned>(offer.size()));
    const timeval patience{60, 0};
    ::setsockopt(socket_.fd(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    SSL_set_fd(ssl_, socket_.fd());
    connected_ = SSL_connect(ssl_) == 1;
  }
  ~TlsClient() {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
  }
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  bool connected() const { return connected_; }
  long serial() const {
    X509* certificate = SSL_get1_peer_certificate(ssl_);
    const long value = ASN1_INTEGER_get(X509_get0_serialNumber(certificate));
    X509_free(certificate);
    return value;
  }
  // Reads until the octets contain `end`, or the stream ends.
  std::string ask(const std::string& request, const std::string& end) {
    SSL_write(ssl_, request.data(), static_cast<int>(request.size()));
    std::string text;
    char bytes[4096];
    while (text.find(end) == std::string::npos) {
      const int count = SSL_read(ssl_, bytes, sizeof bytes);
      if (count <= 0) break;
      text.append(bytes, static_cast<size_t>(count));
    }
    return text;
  }
  // Whether the stream ended by close_notify.
  bool ended_cleanly() {
    char byte;
    const int result = SSL_read(ssl_, &byte, 1);
    return SSL_get_error(ssl_, result) == SSL_ERROR_ZERO_RETURN;
  }

 private:
  Client socket_;
  SSL_CTX* context_ = nullptr;
  SSL* ssl_ = nullptr;
  bool connected_ = false;
};

}  // namespace

TEST_CASE_FIXTURE(ServerFixture, "tls - requests and responses of any size, then close_notify") {
  const Certificate certificate;
  config.listeners[0].tls = certificate.files();
  REQUIRE(start() != 0);
  TlsClient client(server->port(0));
  REQUIRE(client.connected());
  const std::string body(200'000, 'x');
  CHECK(client.ask(post("/v1/calls", body + "END"), "END").find("HTTP/1.1 200 OK\r\n") == 0);
  const auto last = client.ask(get("/v1/calls/7", "Connection: close\r\n"), "id=7");
  CHECK(last.find("Connection: close\r\n") != std::string::npos);
  CHECK(client.ended_cleanly());
}

TEST_CASE_FIXTURE(ServerFixture, "tls - versions before 1.2 are refused") {
  const Certificate certificate;
  config.listeners[0].tls = certificate.files();
  REQUIRE(start() != 0);
  CHECK(!TlsClient(server->port(0), TLS1_VERSION).connected());
  CHECK(!TlsClient(server->port(0), TLS1_1_VERSION).connected());
  CHECK(TlsClient(server->port(0), TLS1_2_VERSION).connected());
}

TEST_CASE_FIXTURE(ServerFixture,
                  "tls - 1.2 accepts only suites with forward secrecy and authenticated encryption") {
  const Certificate certificate;
  config.listeners[0].tls = certificate.files();
  REQUIRE(start() != 0);
  CHECK(TlsClient(server->port(0), TLS1_2_VERSION, "ECDHE-ECDSA-AES128-GCM-SHA256").connected());
  CHECK(!TlsClient(server->port(0), TLS1_2_VERSION, "ECDHE-ECDSA-AES128-SHA").connected());
  CHECK(!TlsClient(server->port(0), TLS1_2_VERSION, "ECDHE-ECDSA-AES256-SHA384").connected());
}

TEST_CASE_FIXTURE(ServerFixture, "tls - a client that offers only another protocol is refused") {
  const Certificate certificate;
  config.listeners[0].tls = certificate.files();
  REQUIRE(start() != 0);
  CHECK(TlsClient(server->port(0), TLS1_3_VERSION, nullptr, "http/1.1").connected());
  CHECK(!TlsClient(server->port(0), TLS1_2_VERSION, nullptr, "ftp").connected());
  TlsClient other(server->port(0), TLS1_3_VERSION, nullptr, "ftp");
  CHECK(other.ask(get("/v1/calls/7"), "id=7").empty());
}

TEST_CASE_FIXTURE(ServerFixture,
                  "tls - responses over TLS have Strict-Transport-Security, plain ones do not") {
  const Certificate certificate;
  config.listeners.push_back(config.listeners[0]);
  config.listeners[0].tls = certificate.files();
  config.hsts_sec = 600;
  REQUIRE(start() != 0);
  TlsClient client(server->port(0));
  CHECK(client.ask(get("/v1/calls/7"), "id=7").find("Strict-Transport-Security: max-age=600\r\n") !=
        std::string::npos);
  auto plain = connect(1);
  plain.send(get("/v1/calls/7"));
  CHECK(plain.receive()->headers.count("strict-transport-security") == 0);
}

TEST_CASE_FIXTURE(ServerFixture, "fault D - silent TLS clients do not delay others and are disconnected") {
  const Certificate certificate;
  config.listeners[0].tls = certificate.files();
  config.threads = 1;
  config.limits.handshake_ms = 10'000;
  REQUIRE(start() != 0);
  std::vector<Client> silent;
  for (int i = 0; i < 300; ++i) {
    silent.push_back(connect());
    if (i % 3 == 1) silent.back().send("\x16\x03\x01");
    if (i % 3 == 2) silent.back().send("GET / HTTP/1.1\r\n\r\n");
  }
  const auto begun = std::chrono::steady_clock::now();
  TlsClient client(server->port(0));
  REQUIRE(client.connected());
  CHECK(client.ask(get("/v1/calls/7"), "id=7").find("200 OK") != std::string::npos);
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::milliseconds(9000));
  for (auto& one : silent) CHECK(one.is_closed());
}

TEST_CASE_FIXTURE(ServerFixture, "tls - certificates are replaced while connections stay open") {
  const Certificate certificate;
  config.listeners[0].tls = certificate.files();
  REQUIRE(start() != 0);
  TlsClient before(server->port(0));
  REQUIRE(before.connected());
  CHECK(before.serial() == 1);
  certificate.write(2);
  REQUIRE(server->reload_tls().ok());
  TlsClient after(server->port(0));
  REQUIRE(after.connected());
  CHECK(after.serial() == 2);
  CHECK(before.ask(get("/v1/calls/7"), "id=7").find("200 OK") != std::string::npos);
  std::filesystem::remove(certificate.files().key);
  const auto refused = server->reload_tls();
  REQUIRE(!refused.ok());
  CHECK(refused.error().text.find("key.pem") != std::string::npos);
  CHECK(TlsClient(server->port(0)).serial() == 2);
}

TEST_CASE_FIXTURE(ServerFixture, "tls - a key of another certificate is refused at start") {
  const Certificate one;
  const Certificate two;
  config.listeners[0].tls = TlsFiles{one.files().certificate, two.files().key};
  const auto refused = HttpServer::start(config, routes, handlers);
  REQUIRE(!refused.ok());
  CHECK(refused.error().text.find("key.pem") != std::string::npos);
}
