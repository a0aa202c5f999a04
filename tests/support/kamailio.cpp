#include "support/kamailio.h"

#include <arpa/inet.h>
#include <patchbay/descriptor.h>
#include <poll.h>
#include <sys/socket.h>

#include <fstream>

#include "support/free_ports.h"

namespace patchbay::test {
namespace {

constexpr auto kKamailioStartLimit = std::chrono::seconds(60);
constexpr int kKamailioAttempts = 5;

const char kRoutes[] = R"(
request_route {
  if (is_method("OPTIONS")) { sl_send_reply("200", "OK"); exit; }
  if (is_method("CANCEL")) { if (t_check_trans()) { t_relay(); } exit; }
  if (has_totag()) {
    if (loose_route()) {
#!ifdef WITH_RTPENGINE
      if (is_method("BYE")) { rtpengine_delete(); }
#!endif
      t_relay();
      exit;
    }
    if (is_method("ACK")) { if (t_check_trans()) { t_relay(); } exit; }
    sl_send_reply("404", "Not here");
    exit;
  }
#!ifdef WITH_AUTH
  if (is_method("INVITE|REGISTER")) {
    if (!pv_auth_check("AUTH_REALM", "AUTH_PASSWORD", "0", "0") || $au != "AUTH_USER") {
      if (is_method("REGISTER")) { www_challenge("AUTH_REALM", "1"); }
      else { proxy_challenge("AUTH_REALM", "1"); }
      exit;
    }
    consume_credentials();
  }
#!endif
  if (is_method("REGISTER")) { append_to_reply("Contact: $ct\r\n"); sl_send_reply("200", "OK"); exit; }
#!ifdef WITH_NEXT_HOP
  if (is_method("INVITE")) {
    record_route();
#!ifdef WITH_CALLEE
    $rU = "CALLEE_USER";
#!endif
    $du = "sip:127.0.0.1:TARGET_PORT";
#!ifdef WITH_RTPENGINE
    rtpengine_offer("AUDIO_PROFILE replace-origin replace-session-connection ICE=remove");
    t_on_reply("AUDIO");
#!endif
    t_relay();
    exit;
  }
#!endif
  sl_send_reply("486", "Busy Here");
}
#!ifdef WITH_RTPENGINE
onreply_route[AUDIO] {
  if (has_body("application/sdp")) { rtpengine_answer("replace-origin replace-session-connection ICE=remove"); }
}
#!endif
)";

// Whether it answers OPTIONS over TCP: its ports are open before the processes that serve them run.
bool is_answering(uint16_t port) {
  const patchbay::Descriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof(to)) != 0) return false;
  const std::string request =
      "OPTIONS sip:127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/TCP 127.0.0.1;branch=z9hG4bKready\r\n"
      "From: <sip:test@127.0.0.1>;tag=1\r\nTo: <sip:127.0.0.1>\r\nCall-ID: ready\r\nCSeq: 1 OPTIONS\r\n"
      "Content-Length: 0\r\n\r\n";
  if (::send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL) < 0) return false;
  pollfd ready{fd.get(), POLLIN, 0};
  char answer[16];
  return ::poll(&ready, 1, 1000) == 1 && ::recv(fd.get(), answer, sizeof(answer), 0) > 0;
}

void replace_all(std::string& text, const std::string& mark, const std::string& value) {
  for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
    text.replace(at, mark.size(), value);
}

std::string config(const Kamailio::Options& options, const TempFolder& folder, uint16_t port,
                   uint16_t tls_port) {
  std::string text = "#!KAMAILIO\n";
  if (options.next_hop != 0) text += "#!define WITH_NEXT_HOP\n";
  if (!options.realm.empty()) text += "#!define WITH_AUTH\n";
  if (!options.callee.empty()) text += "#!define WITH_CALLEE\n";
  if (options.rtpengine != 0) text += "#!define WITH_RTPENGINE\n";
  text += "debug=1\nlog_stderror=yes\nfork=yes\nchildren=1\ntcp_children=1\nenable_tls=yes\n";
  text += "auto_aliases=no\ndns=no\nrev_dns=no\ntcp_async=yes\n";
  const std::string here = ":127.0.0.1:";
  text += "listen=udp" + here + std::to_string(port) + "\nlisten=tcp" + here + std::to_string(port);
  text += "\nlisten=tls" + here + std::to_string(tls_port) + "\n";
  for (const char* module : {"tm", "sl", "rr", "pv", "textops", "siputils", "tls", "auth"})
    text += std::string("loadmodule \"") + module + ".so\"\n";
  if (options.rtpengine != 0)
    text += "loadmodule \"rtpengine.so\"\nmodparam(\"rtpengine\", \"rtpengine_sock\", \"udp:127.0.0.1:" +
            std::to_string(options.rtpengine) + "\")\n";
  const auto set = [&text](const char* name, const std::string& value) {
    text += std::string("modparam(\"tls\", \"") + name + "\", " + value + ")\n";
  };
  set("private_key", "\"" + folder.file("key.pem") + "\"");
  set("certificate", "\"" + folder.file("cert.pem") + "\"");
  const std::string asks = options.authority_pem.empty() ? "0" : "1";
  if (!options.authority_pem.empty()) set("ca_list", "\"" + folder.file("ca.pem") + "\"");
  set("tls_method", "\"TLSv1.2+\"");  // by default it speaks version 1.0
  set("verify_certificate", asks);
  set("require_certificate", asks);
  if (!options.realm.empty()) text += "modparam(\"auth\", \"algorithm\", \"" + options.algorithm + "\")\n";
  text += kRoutes;
  replace_all(text, "TARGET_PORT", std::to_string(options.next_hop));
  replace_all(text, "CALLEE_USER", options.callee);
  replace_all(text, "AUDIO_PROFILE", options.profile);
  replace_all(text, "AUTH_REALM", options.realm);
  replace_all(text, "AUTH_PASSWORD", options.password);
  replace_all(text, "AUTH_USER", options.username);
  return text;
}

}  // namespace

Result<Kamailio> Kamailio::start(const Options& options) {
  for (int attempt = 1;; ++attempt) {
    auto started = try_start(options);
    if (started || attempt == kKamailioAttempts) return started;
  }
}

Result<Kamailio> Kamailio::try_start(const Options& options) {
  auto folder = std::make_unique<TempFolder>();
  const uint16_t port = free_port();
  uint16_t tls_port = free_port();
  while (tls_port == port) tls_port = free_port();
  std::ofstream(folder->file("key.pem")) << options.certificate.key_pem;
  std::ofstream(folder->file("cert.pem")) << options.certificate.certificate_pem;
  std::ofstream(folder->file("ca.pem")) << options.authority_pem;
  std::ofstream(folder->file("kamailio.cfg")) << config(options, *folder, port, tls_port);
  auto child = Child::spawn({"kamailio", "-DD", "-E", "-f", folder->file("kamailio.cfg"), "-Y",
                             folder->path(), "-P", folder->file("pid"), "-m", "32", "-M", "8"},
                            folder->path(), folder->file("output"));
  if (!child) return std::move(child).error();
  const auto deadline = std::chrono::steady_clock::now() + kKamailioStartLimit;
  while (!is_answering(port)) {
    if (std::chrono::steady_clock::now() >= deadline || child->wait(std::chrono::milliseconds(5)))
      return {Code::timeout, "Kamailio does not listen: " + read_text(folder->file("output"))};
  }
  return Kamailio(std::move(folder), *std::move(child), port, tls_port);
}

std::string Kamailio::output() const { return read_text(folder_->file("output")); }

}  // namespace patchbay::test
