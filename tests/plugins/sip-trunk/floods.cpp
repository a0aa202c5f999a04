// Floods from a trunk's own address, which the filter of the port lets in.
#include <doctest/doctest.h>
#include <malloc.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "caller.h"
#include "raw_peer.h"
#include "support/within.h"

using namespace patchbay::sip_trunk;
using namespace patchbay::test;

namespace {

constexpr int kRounds = 100;
constexpr size_t kSlackBytes = 4u << 20;

// In use by this process; 0 under a sanitizer's allocator.
size_t heap_bytes() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

size_t resident_mib() {
  size_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<size_t>(::sysconf(_SC_PAGESIZE)) >> 20;
}

struct Flood {
  // 20 messages of each kind in a round, which ends when the server has read them all.
  void run() {
    for (int round = 0; round < kRounds; ++round) {
      for (int i = 0; i < 20; ++i) {
        ++number;
        send("INVITE");
        send("OPTIONS");
        send("BYE");
        peer.send(stack->port(), "INVITE\r\nVia: x\r\n\r\n" + std::to_string(number));
        peer.send(stack->port(), std::string("\x02\x01\x00junk\xff", 8) + std::to_string(number));
      }
      REQUIRE(is_answered());
    }
  }
  bool is_answered() {
    for (int i = 0; i < 60; ++i) {
      ++number;
      send("OPTIONS");
      std::string answer;
      do answer = peer.receive("SIP/2.0 ", 1000);
      while (!answer.empty() && header(answer, "Call-ID") != "OPTIONS" + std::to_string(number));
      if (!answer.empty()) return true;
    }
    return false;
  }
  void send(const std::string& method) {
    const std::string id = method + std::to_string(number);
    peer.send(stack->port(), peer.request(method, "sip:us@127.0.0.1:" + std::to_string(stack->port()),
                                          "<sip:x@127.0.0.1>;tag=" + id, "<sip:us@127.0.0.1>", id, 1));
  }

  RawPeer peer;
  std::unique_ptr<SipStack> stack = *SipStack::start(
      {.sources = {*patchbay::lib::SocketAddress::parse("127.0.0.1", 0)}, .transaction_timeout_ms = 500});
  int number = 0;
};

}  // namespace

TEST_CASE("what a flood takes is free again when its transactions are over") {
  Flood flood;
  size_t settled = heap_bytes() + kSlackBytes;
  for (int pass = 1; pass <= 4; ++pass) {
    flood.run();
    CAPTURE(pass);
    CHECK(within(std::chrono::seconds(40), [&] { return heap_bytes() <= settled; }));
    if (pass == 1) settled = heap_bytes() + kSlackBytes;  // tables have grown once
    MESSAGE("after " << flood.number << " of each message: heap in use " << heap_bytes()
                     << " bytes, resident " << resident_mib() << " MiB");
  }
  CHECK(flood.stack->live_handles() == 0);
}
