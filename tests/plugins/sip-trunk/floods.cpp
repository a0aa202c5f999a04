// Floods from a trunk's own address, which the peer filter accepts.
#include <doctest/doctest.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "caller.h"
#include "raw_peer.h"
#include "support/within.h"

using namespace patchbay::sip_trunk;
using namespace patchbay::test;

namespace {

constexpr int kRounds = 100;
constexpr size_t kSlackBytes = 4u << 20;
constexpr size_t kMaxFloodBytes = 32u << 20;  // half of what hardening rule S2 allows the whole server

// Heap memory in use by this process; 0 under a sanitizer's allocator.
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
  explicit Flood(uint32_t transaction_timeout_ms)
      : stack(*start_stack({.allowed_peers = {*patchbay::lib::SocketAddress::parse("127.0.0.1", 0)},
                            .transaction_timeout_ms = transaction_timeout_ms})) {}

  // Sends 20 messages of each kind per round; a round ends when the server has read them all.
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
  std::unique_ptr<SipStack> stack;
  int number = 0;
};

}  // namespace

TEST_CASE("the memory that a flood takes is freed when its transactions end") {
  Flood flood(500);
  size_t settled = heap_bytes() + kSlackBytes;
  for (int pass = 1; pass <= 4; ++pass) {
    flood.run();
    CAPTURE(pass);
    CHECK(within(std::chrono::seconds(40), [&] { return heap_bytes() <= settled; }));
    if (pass == 1) settled = heap_bytes() + kSlackBytes;  // tables have grown to their final size
    MESSAGE("after " << flood.number << " of each message: heap in use " << heap_bytes()
                     << " bytes, resident " << resident_mib() << " MiB");
  }
  CHECK(flood.stack->live_handles() == 0);
}

TEST_CASE("a flood takes little memory while sofia-sip keeps its transactions") {
  Flood flood(32'000);
  const size_t before = heap_bytes();
  for (int pass = 0; pass < 3; ++pass) flood.run();
  const size_t taken = heap_bytes() - std::min(before, heap_bytes());
  MESSAGE("taken by " << flood.number << " of each message: " << taken << " bytes");
  CHECK(taken < kMaxFloodBytes);
  CHECK(within(std::chrono::seconds(40), [&] {
    flood.run();
    return flood.stack->counts().refused_rate > 0;
  }));
  // The limit does not affect an answered call.
  Caller caller;
  REQUIRE(flood.stack->dial(call_to(flood.peer.port()), caller));
  const std::string invite = flood.peer.receive("INVITE ");
  flood.peer.send(flood.stack->port(),
                  answer_to(invite, "200 OK", "sip:" + flood.peer.address(), "", kOffer));
  CHECK(caller.wait_answered());
  flood.run();
  flood.peer.send(flood.stack->port(),
                  flood.peer.request("BYE", "sip:us@127.0.0.1", header(invite, "To") + ";tag=peer",
                                     header(invite, "From"), header(invite, "Call-ID"), 7));
  CHECK(caller.wait_ended().reason == EndReason::far_hangup);
}

TEST_CASE(
    "a flood inside a call costs its peer's requests but no memory, and the call is hung up nevertheless") {
  Flood flood(32'000);
  Caller caller;
  REQUIRE(flood.stack->dial(call_to(flood.peer.port()), caller));
  const std::string invite = flood.peer.receive("INVITE ");
  flood.peer.send(flood.stack->port(),
                  answer_to(invite, "200 OK", "sip:" + flood.peer.address(), "", kOffer));
  REQUIRE(caller.wait_answered());
  REQUIRE_FALSE(flood.peer.receive("ACK ").empty());
  int sequence = 1;
  const auto send = [&](const std::string& method) {
    flood.peer.send(flood.stack->port(),
                    flood.peer.request(method, "sip:us@127.0.0.1", header(invite, "To") + ";tag=peer",
                                       header(invite, "From"), header(invite, "Call-ID"), ++sequence));
  };
  const size_t before = heap_bytes();
  for (const char* method : {"INFO", "UPDATE", "OPTIONS", "NOTIFY", "MESSAGE", "REFER", "PRACK"}) {
    CAPTURE(std::string(method));
    for (int round = 0; round < kRounds; ++round) {
      for (int i = 0; i < 10; ++i) send(method);
      const std::string last = std::to_string(sequence) + " " + method;
      CHECK(within(std::chrono::seconds(10), [&] {
        const std::string answer = flood.peer.receive("SIP/2.0 ", 1000);
        return header(answer, "CSeq") == last;
      }));
    }
  }
  const size_t taken = heap_bytes() - std::min(before, heap_bytes());
  MESSAGE("taken by 7000 requests: " << taken << " bytes");
  CHECK(taken < kSlackBytes);
  CHECK(flood.stack->counts().refused_rate > 0);
  CHECK_FALSE(caller.ended());
  send("BYE");
  CHECK(caller.wait_ended().reason == EndReason::far_hangup);
}

// The kernel's filter does not hold so many addresses, so it is off.
TEST_CASE("S2: floods from strangers leave trunks their calls, and free their memory") {
  std::vector<patchbay::lib::SocketAddress> trunks = {*patchbay::lib::SocketAddress::parse("127.0.0.1", 0)};
  for (int i = 0; i < 3000; ++i)
    trunks.push_back(*patchbay::lib::SocketAddress::parse(
        "10.9." + std::to_string(i / 250) + "." + std::to_string(1 + i % 250), 0));
  std::unique_ptr<SipStack> stack;
  SipStack::Options options;
  options.allowed_peers = trunks;
  options.transaction_timeout_ms = 500;
  options.on_call = [&stack](DialogId id, const InboundInvite&) { stack->refuse(id, {486, "Busy Here"}); };
  stack = *start_stack(options);
  REQUIRE_FALSE(stack->is_filtered());
  const RawPeer trunk, stranger("127.0.0.9");
  const std::string us = "sip:us@127.0.0.1:" + std::to_string(stack->port());
  int number = 0, answered = 0, called = 0;
  const auto request = [&](const RawPeer& from, const std::string& method) {
    const std::string id = method + std::to_string(++number);
    return from.request(method, us, "<sip:x@127.0.0.1>;tag=" + id, "<" + us + ">", id, 1);
  };
  // Repeated like by any caller, because the flood fills the socket's buffer on a busy machine.
  const auto call = [&] {
    ++called;
    const std::string invite = request(trunk, "INVITE");
    std::string answer;
    for (int attempt = 0; attempt < 30 && answer.empty(); ++attempt) {
      trunk.send(stack->port(), invite);
      do answer = trunk.receive("SIP/2.0 486", 1000);
      while (!answer.empty() && header(answer, "Call-ID") != header(invite, "Call-ID"));
    }
    answered += answer.empty() ? 0 : 1;
  };
  const char* const seconds = std::getenv("PATCHBAY_FLOOD_SEC");
  const int rounds = 100 * (seconds != nullptr ? std::atoi(seconds) : 1);
  call();
  const size_t before = heap_bytes();
  for (const char* method : {"REGISTER", "INVITE", "OPTIONS", "SUBSCRIBE", "MESSAGE"}) {
    CAPTURE(std::string(method));
    for (int round = 0; round < rounds; ++round) {  // 2,000 a second
      for (int i = 0; i < 20; ++i) stranger.send(stack->port(), request(stranger, method));
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (round % 50 == 49) call();
    }
  }
  CHECK(answered == called);
  // The strangers' transactions end after half a second.
  CHECK(wait_until([&] { return heap_bytes() < before + kSlackBytes; }));
  CHECK(wait_no_handles(*stack));
}
