#include "websocket/message_reader.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

using namespace patchbay::lib;
using Kind = MessageReader::Kind;

namespace {

constexpr int kFinal = 0x80;

// A frame as a server sends it.
std::string frame(int first, const std::string& payload) {
  std::string out(1, static_cast<char>(first));
  if (payload.size() < 126) {
    out += static_cast<char>(payload.size());
  } else if (payload.size() < 65536) {
    out += '\x7e';
    out += static_cast<char>(payload.size() >> 8);
    out += static_cast<char>(payload.size());
  } else {
    out += '\x7f';
    for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(uint64_t{payload.size()} >> shift);
  }
  return out + payload;
}

std::string describe(const MessageReader::Event& event) {
  const std::string payload(event.payload);
  switch (event.kind) {
    case Kind::none:
      return "";
    case Kind::message:
      return (event.binary ? "b:" : "t:") + payload;
    case Kind::ping:
      return "ping:" + payload;
    case Kind::pong:
      return "pong:" + payload;
    case Kind::close:
      return "close:" + std::to_string(event.code) + payload;
    case Kind::too_big:
      return "too big";
    case Kind::violation:
      return "violation:" + std::to_string(event.code);
  }
  return "?";
}

// Feeds the bytes in pieces of this size and returns all events.
std::vector<std::string> read(const std::string& bytes, size_t piece, size_t max = 1u << 20) {
  MessageReader reader(max);
  std::vector<std::string> events;
  for (size_t at = 0; at < bytes.size(); at += piece) {
    const size_t size = std::min(piece, bytes.size() - at);
    std::memcpy(reader.prepare(size + 7), bytes.data() + at, size);
    reader.commit(size);
    for (auto event = reader.next(); event.kind != Kind::none; event = reader.next())
      events.push_back(describe(event));
  }
  return events;
}

void check(const std::string& bytes, const std::vector<std::string>& expected, size_t max = 1u << 20) {
  CAPTURE(bytes.substr(0, 200));
  for (const size_t piece : {bytes.size(), size_t{1}, size_t{2}, size_t{3}, size_t{1000}})
    if (piece == bytes.size() || bytes.size() < 5000) CHECK(read(bytes, piece, max) == expected);
}

}  // namespace

TEST_CASE("messages arrive whole, however the bytes are cut") {
  const std::string large(70'000, 'x'), medium(300, 'm');
  check(frame(kFinal | 1, "hello") + frame(kFinal | 2, std::string("\0\1", 2)) + frame(kFinal | 1, "") +
            frame(kFinal | 2, medium),
        {"t:hello", std::string("b:\0\1", 4), "t:", "b:" + medium});
  check(frame(kFinal | 2, large) + frame(kFinal | 1, "end"), {"b:" + large, "t:end"});
  for (const size_t piece : {4096, 16384, 65536})
    CHECK(read(frame(kFinal | 2, large) + frame(kFinal | 2, large) + frame(kFinal | 1, "end"), piece) ==
          std::vector<std::string>{"b:" + large, "b:" + large, "t:end"});
}

TEST_CASE("parts are joined, and control frames between them are reported at once") {
  check(frame(2, "a") + frame(kFinal | 9, "now") + frame(0, "") + frame(0, "b") + frame(kFinal | 10, "") +
            frame(kFinal, "c") + frame(kFinal | 1, "next"),
        {"ping:now", "pong:", "b:abc", "t:next"});
  check(frame(1, "\xc3") + frame(kFinal, "\xa4"), {"t:\xc3\xa4"});  // a character in two parts
}

TEST_CASE("close frames: with a code and a reason, and without") {
  check(frame(kFinal | 8, ""), {"close:0"});
  check(frame(kFinal | 8, "\x03\xe8"), {"close:1000"});
  check(frame(kFinal | 8,
              "\x03\xef"
              "bad"),
        {"close:1007bad"});
}

TEST_CASE("violations end the reading, with the code to close with") {
  for (const std::string& bad :
       {frame(kFinal, "x"), frame(0, "x"), frame(1, "x") + frame(kFinal | 1, "y"),
        frame(1, "x") + frame(2, "y"), frame(kFinal | 3, ""), frame(kFinal | 0x40 | 1, "x"), frame(9, "x"),
        frame(kFinal | 8, "\x03"), frame(kFinal | 8, std::string("\x03\xed", 2)),
        frame(kFinal | 8, std::string("\0\0", 2))})
    check(bad + frame(kFinal | 1, "after"), {"violation:1002"});
  for (const std::string& bad :
       {frame(kFinal | 1, "\xff"), frame(kFinal | 1, "12345678\xc3"), frame(kFinal | 1, "\xed\xa0\x80"),
        frame(1, "\xc3") + frame(kFinal, "x"), frame(kFinal | 8, "\x03\xe8\xff")})
    check(bad + frame(kFinal | 1, "after"), {"violation:1007"});
  check(frame(kFinal | 2, "\xff"), {"b:\xff"});
}

TEST_CASE("nothing is kept of what follows a message beyond the limit") {
  MessageReader reader(100);
  const std::string large = frame(kFinal | 2, std::string(60'000, 'x'));
  const char* first = nullptr;
  for (int i = 0; i < 100; ++i) {
    char* const room = reader.prepare(large.size());
    if (i == 0) first = room;
    CHECK(room == first);  // the buffer does not grow
    std::memcpy(room, large.data(), large.size());
    reader.commit(large.size());
    CHECK(reader.next().kind == (i == 0 ? Kind::too_big : Kind::none));
  }
}

TEST_CASE("a message beyond the limit is refused before it has arrived, whole or in parts") {
  check(frame(kFinal | 2, std::string(100, 'x')), {"b:" + std::string(100, 'x')}, 100);
  check(frame(kFinal | 2, std::string(101, 'x')), {"too big"}, 100);
  check(frame(kFinal | 2, std::string(101, 'x')).substr(0, 2), {"too big"}, 100);
  check(frame(2, std::string(60, 'x')) + frame(0, std::string(40, 'x')) + frame(kFinal, "x"), {"too big"},
        100);
  check(frame(2, std::string(60, 'x')) + frame(kFinal, std::string(40, 'x')) + frame(kFinal | 1, "y"),
        {"b:" + std::string(100, 'x'), "t:y"}, 100);
  check(std::string("\x82\x7f\x7f\xff\xff\xff\xff\xff\xff\xff", 10), {"too big"}, 100);
}
