#include "http/head_reader.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using patchbay::rest_api::HeadReader;
using State = HeadReader::State;

namespace {

constexpr std::string_view kHead = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

State read_whole(std::string_view bytes, size_t max_octets = 1024) {
  HeadReader reader(max_octets);
  return reader.read(bytes);
}

}  // namespace

TEST_CASE("a head is done at its empty line, however it arrives") {
  HeadReader reader(1024);
  for (size_t size = 1; size < kHead.size(); ++size) CHECK(reader.read(kHead.substr(0, size)) == State::more);
  CHECK(reader.read(std::string(kHead) + "body") == State::done);
  CHECK(reader.length() == kHead.size());
  reader.reset();
  CHECK(reader.read("GET") == State::more);
}

TEST_CASE("a control character is bad wherever it stands in a long line, other octets are not") {
  const std::string line = "GET / HTTP/1.1\r\nCookie: " + std::string(50, 'x');
  const std::string end = "\r\n\r\n";
  for (size_t at = line.size() - 40; at < line.size(); ++at) {
    for (const char octet : {'\0', '\x01', '\n', '\x1f', '\x7f'}) {
      std::string head = line + end;
      head[at] = octet;
      CHECK(read_whole(head) == State::bad);
    }
    for (const char octet : {'\t', ' ', '~', '\x80', '\xff'}) {
      std::string head = line + end;
      head[at] = octet;
      CHECK(read_whole(head) == State::done);
    }
  }
}

TEST_CASE("a head may be as large as the limit, with its empty line") {
  CHECK(read_whole(kHead, kHead.size()) == State::done);
  CHECK(read_whole(kHead, kHead.size() - 1) == State::too_large);
  CHECK(read_whole("GET / HTTP/1.1\r\nHost", 20) == State::too_large);
  CHECK(read_whole("GET / HTTP/1.1\r\nHost", 21) == State::more);
  CHECK(HeadReader::error_of(State::too_large).status == 431);
}

TEST_CASE("the limit does not count what follows the head") {
  CHECK(read_whole(std::string(kHead) + std::string(1000, 'x'), kHead.size()) == State::done);
}

TEST_CASE("a bare line break, a control character, obs-fold and an empty head are bad") {
  for (const std::string_view bad : {"GET / HTTP/1.1\n", "GET / HTTP/1.1\rHost: a", "GET /\x01",
                                     "GET / HTTP/1.1\r\n Host: a", " GET /", "\r\n"}) {
    CAPTURE(bad);
    CHECK(read_whole(bad) == State::bad);
  }
  CHECK(HeadReader::error_of(State::bad).status == 400);
}
