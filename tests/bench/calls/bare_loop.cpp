#include "bench/calls/bare_loop.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <patchbay/base64.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>

#include "bench/calls/loopback.h"
#include "bench/calls/pacer.h"
#include "bench/pairs.h"
#include "client_message.h"
#include "g711/g711.h"
#include "resampler/resampler.h"
#include "rtp/packet.h"
#include "support/chained_json.h"

namespace patchbay::bench {
namespace {

constexpr double kWarmUp = 0.5;
constexpr size_t kNarrow = 160, kWide = 320, kEngine = 480;  // samples of 20 ms

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

int connected(int type, uint16_t port) {
  const int fd = ::socket(AF_INET, type | SOCK_CLOEXEC, 0);
  const sockaddr_in to = loopback(port);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) die("bare loop: connect");
  return fd;
}

double thread_cpu_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) * 1e9 + double(now.tv_nsec);
}

lib::Resampler resampler(uint32_t from_hz, uint32_t to_hz) {
  auto made = lib::Resampler::create(from_hz, to_hz);
  if (!made) die("bare loop: resampler");
  return *std::move(made);
}

}  // namespace

struct BareLoop::Call {
  Call(size_t number, SSL_CTX* context, uint16_t engine_port, uint16_t telephones_port)
      : udp(connected(SOCK_DGRAM, telephones_port)),
        tcp(connected(SOCK_STREAM, engine_port)),
        ssl(::SSL_new(context)),
        up(resampler(8000, 16000)),
        down(resampler(24000, 8000)) {
    const int on = 1;
    ::setsockopt(tcp, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::SSL_set_fd(ssl, tcp);
    if (::SSL_connect(ssl) != 1) die("bare loop: TLS");
    upgrade();
    write_frame(R"({"setup":{"text":"telephone )" + std::to_string(number) + ".\"}}");
    ::fcntl(tcp, F_SETFL, O_NONBLOCK);
    ::fcntl(udp, F_SETFL, O_NONBLOCK);
  }
  ~Call() {
    ::SSL_free(ssl);
    ::close(tcp);
    ::close(udp);
  }

  void upgrade() {
    const std::string request =
        "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
    ::SSL_write(ssl, request.data(), static_cast<int>(request.size()));
    std::string answer;
    for (char byte; answer.find("\r\n\r\n") == std::string::npos; answer += byte)
      if (::SSL_read(ssl, &byte, 1) != 1) die("bare loop: upgrade");
  }

  // A text frame as a client sends it, of less than 64 KiB.
  void write_frame(const std::string& payload) {
    frame.assign(1, '\x81');
    if (payload.size() < 126) {
      frame += static_cast<char>(0x80u | payload.size());
    } else {
      frame += '\xfe';
      frame += static_cast<char>(payload.size() >> 8);
      frame += static_cast<char>(payload.size());
    }
    const auto mask = static_cast<uint32_t>(random());
    char key[4];
    std::memcpy(key, &mask, sizeof key);
    frame.append(key, sizeof key);
    const size_t begin = frame.size();
    frame += payload;
    for (size_t i = 0; i < payload.size(); ++i)
      frame[begin + i] = static_cast<char>(frame[begin + i] ^ key[i % 4]);
    ::SSL_write(ssl, frame.data(), static_cast<int>(frame.size()));
  }

  void caller_to_engine() {
    std::array<uint8_t, 2048> datagram;
    for (ssize_t size; (size = ::recv(udp, datagram.data(), datagram.size(), 0)) >= 0;) {
      const auto packet = lib::parse_rtp(datagram.data(), static_cast<size_t>(size));
      if (!packet || packet->payload_bytes != kNarrow) continue;
      std::array<int16_t, kNarrow> narrow;
      std::array<int16_t, kWide> wide;
      lib::g711_decode(lib::G711::mu_law, packet->payload, kNarrow, narrow.data());
      const uint32_t count = up.process(narrow.data(), kNarrow, wide.data(), kWide);
      engine_gemini::write_audio(text, wide.data(), count);
      write_frame(text);
    }
  }

  uint64_t engine_to_caller() {
    std::array<char, 16384> bytes;
    for (int size; (size = ::SSL_read(ssl, bytes.data(), static_cast<int>(bytes.size()))) > 0;)
      received.append(bytes.data(), static_cast<size_t>(size));
    uint64_t frames = 0;
    size_t at = 0;
    while (received.size() >= at + 4) {
      const auto* head = reinterpret_cast<const uint8_t*>(received.data()) + at;
      const bool is_long = (head[1] & 0x7f) == 126;
      const size_t begin = at + (is_long ? 4 : 2);
      const size_t size = is_long ? size_t{head[2]} << 8 | head[3] : head[1] & 0x7fu;
      if (received.size() < begin + size) break;
      frames += message({received.data() + begin, size});
      at = begin + size;
    }
    received.erase(0, at);
    return frames;
  }

  uint64_t message(std::string_view json) {
    const auto document = support::JsonDocument::parse(json, 1u << 20);
    if (!document) return 0;
    const auto parts = document->root()["serverContent"]["modelTurn"]["parts"];
    pcm = from_base64(parts.at(0)["inlineData"]["data"].string()).value_or("");
    uint64_t frames = 0;
    std::array<int16_t, kEngine> wide;
    std::array<int16_t, kNarrow> narrow;
    for (size_t at = 0; at + sizeof wide <= pcm.size(); at += sizeof wide, ++frames) {
      std::memcpy(wide.data(), pcm.data() + at, sizeof wide);
      narrow.fill(0);
      down.process(wide.data(), kEngine, narrow.data(), kNarrow);
      send_packet(narrow);
    }
    return frames;
  }

  void send_packet(const std::array<int16_t, kNarrow>& samples) {
    lib::RtpPacket header;
    header.sequence = ++sequence;
    header.timestamp = sequence * 160u;
    std::array<uint8_t, lib::kRtpHeaderBytes + kNarrow> packet;
    lib::write_rtp_header(header, packet.data());
    lib::g711_encode(lib::G711::mu_law, samples.data(), kNarrow, packet.data() + lib::kRtpHeaderBytes);
    ::send(udp, packet.data(), packet.size(), 0);
  }

  const int udp, tcp;
  SSL* const ssl;
  lib::Resampler up, down;
  uint16_t sequence = 0;
  std::minstd_rand random;
  std::string text, frame, received, pcm;
};

BareLoop::BareLoop(int engine_port, uint16_t telephones_port) {
  SSL_CTX* context = ::SSL_CTX_new(TLS_client_method());
  for (size_t i = 0; i < kCalls; ++i)
    calls_.push_back(std::make_unique<Call>(i, context, static_cast<uint16_t>(engine_port), telephones_port));
  ::SSL_CTX_free(context);
}

BareLoop::~BareLoop() = default;

std::vector<uint16_t> BareLoop::ports() const {
  std::vector<uint16_t> list;
  for (const auto& call : calls_) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    ::getsockname(call->udp, reinterpret_cast<sockaddr*>(&address), &size);
    list.push_back(ntohs(address.sin_port));
  }
  return list;
}

BareLoop::Cost BareLoop::run(double seconds) {
  Cost cost;
  std::thread thread([&] {
    auto due = std::chrono::steady_clock::now();
    const double begin = seconds_now();
    bool measuring = false;
    while (seconds_now() < begin + kWarmUp + seconds) {
      due += std::chrono::milliseconds(kFrameMs);
      std::this_thread::sleep_until(due);
      if (!measuring && seconds_now() >= begin + kWarmUp) {
        measuring = true;
        cost = {-thread_cpu_ns(), 0};
      }
      for (auto& call : calls_) {
        call->caller_to_engine();
        cost.frames += call->engine_to_caller();
      }
    }
    cost.cpu_ns += thread_cpu_ns();
  });
  thread.join();
  return cost;
}

}  // namespace patchbay::bench
