// Cases of RFC 9112 and RFC 9110 against HttpServer, sent at once and then octet by octet.
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <vector>

#include "http_server_fixture.h"

using namespace rest_api_test;

namespace {

struct Case {
  const char* name;
  std::string bytes;
};

std::string nul(std::string text) {
  for (auto& c : text)
    if (c == '@') c = '\0';
  return text;
}

// A POST whose head ends with `fields`; the rest is the body.
std::string head(const std::string& fields, const std::string& body = "") {
  return "POST /v1/calls HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n" + body;
}
std::string chunked(const std::string& body) { return head("Transfer-Encoding: chunked\r\n", body); }
std::string line(const std::string& request_line) { return request_line + "\r\nHost: a\r\n\r\n"; }
std::string hosts(const std::string& fields) { return "GET /v1/calls HTTP/1.1\r\n" + fields + "\r\n"; }

std::vector<Case> refused() {
  return {
      {"two equal Content-Lengths", head("Content-Length: 3\r\nContent-Length: 3\r\n", "abc")},
      {"two different Content-Lengths", head("Content-Length: 3\r\nContent-Length: 4\r\n", "abcd")},
      {"a list of equal Content-Lengths", head("Content-Length: 3, 3\r\n", "abc")},
      {"a list of different Content-Lengths", head("Content-Length: 3, 4\r\n", "abc")},
      {"Content-Length +5", head("Content-Length: +5\r\n", "abcde")},
      {"Content-Length -1", head("Content-Length: -1\r\n")},
      {"Content-Length 0x5", head("Content-Length: 0x5\r\n", "abcde")},
      {"Content-Length 5x", head("Content-Length: 5x\r\n", "abcde")},
      {"Content-Length 5.0", head("Content-Length: 5.0\r\n", "abcde")},
      {"Content-Length 1e1", head("Content-Length: 1e1\r\n", "abcdeabcde")},
      {"Content-Length with an inner space", head("Content-Length: 1 0\r\n", "abcdeabcde")},
      {"an empty Content-Length", head("Content-Length:\r\n")},
      {"a quoted Content-Length", head("Content-Length: \"3\"\r\n", "abc")},
      {"Content-Length 2^64", head("Content-Length: 18446744073709551616\r\n")},
      {"Content-Length 2^64 + 3", head("Content-Length: 18446744073709551619\r\n", "abc")},
      {"Content-Length of 40 digits", head("Content-Length: " + std::string(40, '1') + "\r\n")},
      {"Content-Length in unicode digits", head("Content-Length: \xd9\xa3\r\n", "abc")},
      {"space before the colon", head("Content-Length : 3\r\n", "abc")},
      {"tab before the colon", head("Content-Length\t: 3\r\n", "abc")},
      {"space before the colon of Host", hosts("Host : a\r\n")},
      {"space before the colon of Transfer-Encoding", head("Transfer-Encoding : chunked\r\n", "0\r\n\r\n")},
      {"an empty field name", head(": x\r\n")},
      {"a field without a colon", head("Nothing\r\n")},
      {"a space in a field name", head("X Y: z\r\n")},
      {"a bracket in a field name", head("X(Y: z\r\n")},
      {"a high octet in a field name", head("X\xc3\xa4: z\r\n")},
      {"NUL in a field name", nul(head("X@Y: z\r\n"))},
      {"NUL in a field value", nul(head("X: a@b\r\n"))},
      {"NUL in the target", nul(line("GET /v1/ca@lls HTTP/1.1"))},
      {"NUL before the request", nul("@" + line("GET /v1/calls HTTP/1.1"))},
      {"a bell in a field value", head("X: a\x07z\r\n")},
      {"DEL in a field value", head("X: a\x7fz\r\n")},
      {"a bare CR in a field value", head("X: a\rb\r\n")},
      {"a bare CR ends a field", "GET /v1/calls HTTP/1.1\r\nHost: a\rX: b\r\n\r\n"},
      {"a bare LF ends a field", "GET /v1/calls HTTP/1.1\r\nHost: a\n\r\n"},
      {"a bare LF ends the request line", "GET /v1/calls HTTP/1.1\nHost: a\r\n\r\n"},
      {"bare LFs only", "GET /v1/calls HTTP/1.1\nHost: a\n\n"},
      {"a bare LF ends the head", "GET /v1/calls HTTP/1.1\r\nHost: a\r\n\n"},
      {"CR CR LF", "GET /v1/calls HTTP/1.1\r\r\nHost: a\r\n\r\n"},
      {"obs-fold", head("X: a\r\n b\r\n")},
      {"obs-fold after an empty value", head("X:\r\n\tb\r\n")},
      {"obs-fold that hides Transfer-Encoding", head("X: y\r\n Transfer-Encoding: chunked\r\n", "0\r\n\r\n")},
      {"space before the first field", "GET /v1/calls HTTP/1.1\r\n Host: a\r\n\r\n"},
      {"space before the request line", " " + line("GET /v1/calls HTTP/1.1")},
      {"two empty lines before the request", "\r\n\r\n" + line("GET /v1/calls HTTP/1.1")},
      {"no Host", hosts("")},
      {"two Hosts", hosts("Host: a\r\nHost: b\r\n")},
      {"two equal Hosts", hosts("Host: a\r\nHost: a\r\n")},
      {"an empty Host", hosts("Host:\r\n")},
      {"Host with a path", hosts("Host: a/b\r\n")},
      {"Host with userinfo", hosts("Host: u@a\r\n")},
      {"Host with a space", hosts("Host: a b\r\n")},
      {"Host as a list", hosts("Host: a, b\r\n")},
      {"Host with a bad port", hosts("Host: a:80x\r\n")},
      {"Host with a port too high", hosts("Host: a:65536\r\n")},
      {"Host with two ports", hosts("Host: a:80:80\r\n")},
      {"Host with an open bracket", hosts("Host: [::1\r\n")},
      {"Host with no IPv6 in brackets", hosts("Host: [a]\r\n")},
      {"Host that is a dot", hosts("Host: .\r\n")},
      {"a bad Host under HTTP/1.0", "GET /v1/calls HTTP/1.0\r\nHost: a b\r\n\r\n"},
      {"Transfer-Encoding and Content-Length",
       head("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", "0\r\n\r\n")},
      {"Content-Length and Transfer-Encoding",
       head("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")},
      {"Transfer-Encoding identity", head("Transfer-Encoding: identity\r\n")},
      {"Transfer-Encoding gzip", head("Transfer-Encoding: gzip\r\n")},
      {"Transfer-Encoding gzip, chunked", head("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n")},
      {"Transfer-Encoding chunked, gzip", head("Transfer-Encoding: chunked, gzip\r\n", "0\r\n\r\n")},
      {"Transfer-Encoding chunked, chunked", head("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n")},
      {"Transfer-Encoding twice",
       head("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")},
      {"Transfer-Encoding xchunked", head("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n")},
      {"Transfer-Encoding with a parameter", head("Transfer-Encoding: chunked;q=1\r\n", "0\r\n\r\n")},
      {"Transfer-Encoding with a vertical tab", head("Transfer-Encoding: \x0b"
                                                     "chunked\r\n",
                                                     "0\r\n\r\n")},
      {"an empty Transfer-Encoding", head("Transfer-Encoding:\r\n")},
      {"Transfer-Encoding under HTTP/1.0",
       "POST /v1/calls HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
      {"chunk size 0x3", chunked("0x3\r\nabc\r\n0\r\n\r\n")},
      {"chunk size +3", chunked("+3\r\nabc\r\n0\r\n\r\n")},
      {"chunk size -3", chunked("-3\r\nabc\r\n0\r\n\r\n")},
      {"chunk size with a leading space", chunked(" 3\r\nabc\r\n0\r\n\r\n")},
      {"chunk size with a trailing space", chunked("3 \r\nabc\r\n0\r\n\r\n")},
      {"an empty chunk size", chunked("\r\nabc\r\n0\r\n\r\n")},
      {"a chunk size that is no number", chunked("xyz\r\nabc\r\n0\r\n\r\n")},
      {"a chunk size that wraps", chunked("10000000000000003\r\nabc\r\n0\r\n\r\n")},
      {"a chunk size of 17 digits", chunked("00000000000000003\r\nabc\r\n0\r\n\r\n")},
      {"a bare LF after the chunk size", chunked("3\nabc\r\n0\r\n\r\n")},
      {"a bare CR after the chunk size", chunked("3\rabc\r\n0\r\n\r\n")},
      {"chunk data longer than its size", chunked("3\r\nabcd\r\n0\r\n\r\n")},
      {"chunk data shorter than its size", chunked("3\r\nab\r\n0\r\n\r\n")},
      {"no CRLF after chunk data", chunked("3\r\nabc0\r\n\r\n")},
      {"a bare LF after chunk data", chunked("3\r\nabc\n0\r\n\r\n")},
      {"NUL in a chunk extension", nul(chunked("3;a=@\r\nabc\r\n0\r\n\r\n"))},
      {"a bare LF in a chunk extension", chunked("3;a\nb\r\nabc\r\n0\r\n\r\n")},
      {"a chunk extension without a name", chunked("3;\r\nabc\r\n0\r\n\r\n")},
      {"a chunk extension that is no token", chunked("3;bad[=x\r\nabc\r\n0\r\n\r\n")},
      {"a chunk extension without its value", chunked("3;a=\r\nabc\r\n0\r\n\r\n")},
      {"a chunk extension whose quotes stay open", chunked("3;a=\"b\r\nabc\r\n0\r\n\r\n")},
      {"text after a quoted chunk extension", chunked("3;a=\"b\"c\r\nabc\r\n0\r\n\r\n")},
      {"a comma after the chunk size", chunked("3,a\r\nabc\r\n0\r\n\r\n")},
      {"a trailer that is folded", chunked("0\r\nX: a\r\n b\r\n\r\n")},
      {"a trailer without a colon", chunked("0\r\nnothing\r\n\r\n")},
      {"a trailer with a space before the colon", chunked("0\r\nX : a\r\n\r\n")},
      {"a bare LF in the trailers", chunked("0\r\nX: a\n\r\n")},
      {"a bare LF ends the trailers", chunked("0\r\n\n")},
      {"no version", line("GET /v1/calls")},
      {"version 0.9", line("GET /v1/calls HTTP/0.9")},
      {"version 2.0", line("GET /v1/calls HTTP/2.0")},
      {"version 1.10", line("GET /v1/calls HTTP/1.10")},
      {"version 01.1", line("GET /v1/calls HTTP/01.1")},
      {"version in lower case", line("GET /v1/calls http/1.1")},
      {"another protocol", line("GET /v1/calls SIP/2.0")},
      {"the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
      {"two spaces before the target", line("GET  /v1/calls HTTP/1.1")},
      {"two spaces after the target", line("GET /v1/calls  HTTP/1.1")},
      {"a tab in the request line", line("GET\t/v1/calls HTTP/1.1")},
      {"a space in the target", line("GET /v1/ca lls HTTP/1.1")},
      {"space after the version", line("GET /v1/calls HTTP/1.1 ")},
      {"an empty request line", "\r\nHost: a\r\n\r\n"},
      {"no method", line("/v1/calls HTTP/1.1")},
      {"a method with a bracket", line("GE(T /v1/calls HTTP/1.1")},
      {"a target without a slash", line("GET v1/calls HTTP/1.1")},
      {"a target with a fragment", line("GET /v1/calls#x HTTP/1.1")},
      {"a target with a backslash", line("GET /v1\\calls HTTP/1.1")},
      {"a target with a high octet", line("GET /v1/c\xc3\xa4lls HTTP/1.1")},
      {"a target with angle brackets", line("GET /<x> HTTP/1.1")},
      {"an asterisk for GET", line("GET * HTTP/1.1")},
      {"CONNECT", line("CONNECT a:80 HTTP/1.1")},
      {"absolute-form of another host", "GET http://b/v1/calls HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"absolute-form of another port", "GET http://a:81/v1/calls HTTP/1.1\r\nHost: a:80\r\n\r\n"},
      {"absolute-form with userinfo", "GET http://u@a/v1/calls HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"absolute-form without a host", "GET http:///v1/calls HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"absolute-form with an odd scheme", "GET file://a/v1/calls HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"absolute-form without Host", "GET http://a/v1/calls HTTP/1.1\r\n\r\n"},
      {"an unknown expectation", head("Expect: 200-ok\r\n")},
      {"two Authorizations", head("Authorization: a\r\nAuthorization: b\r\n")},
      {"two Content-Types", head("Content-Type: a/b\r\nContent-Type: c/d\r\n")},
      {"TLS on a plain port", nul("\x16\x03\x01@\xa5\x01@@\xa1\x03\x03")},
  };
}

std::vector<Case> accepted() {
  return {
      {"plain", line("GET /v1/calls HTTP/1.1")},
      {"one empty line first", "\r\n" + line("GET /v1/calls HTTP/1.1")},
      {"no space after the colon", hosts("Host:a\r\n")},
      {"tabs and spaces around a value", hosts("Host:\t a \t\r\n")},
      {"an empty value", hosts("Host: a\r\nX:\r\n")},
      {"a high octet in a value", hosts("Host: a\r\nX: \xc3\xa4\r\n")},
      {"odd but allowed field names", hosts("Host: a\r\n!#$%&'*+-.^_`|~1: x\r\n")},
      {"Host with a port", hosts("Host: a.example:8080\r\n")},
      {"Host with an empty port", hosts("Host: a:\r\n")},
      {"Host as IPv6", hosts("Host: [2001:db8::1]:80\r\n")},
      {"Host with a trailing dot", hosts("Host: a.example.\r\n")},
      {"HOST in capitals", hosts("HOST: a\r\n")},
      {"absolute-form", "GET http://a/v1/calls HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"absolute-form in capitals", "GET HTTP://A:80/v1/calls HTTP/1.1\r\nHost: a:80\r\n\r\n"},
      {"a query", line("GET /v1/calls?a=b&c=%20&d HTTP/1.1")},
      {"an empty query", line("GET /v1/calls? HTTP/1.1")},
      {"a slash at the end", line("GET /v1/calls/ HTTP/1.1")},
      {"a body with GET", "GET /v1/calls HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"},
      {"Content-Length 0", head("Content-Length: 0\r\n")},
      {"Content-Length with leading zeros", head("Content-Length: 003\r\n", "abc")},
      {"an empty chunked body", chunked("0\r\n\r\n")},
      {"hex in both cases", chunked("A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n")},
      {"leading zeros in a chunk size", chunked("0003\r\nabc\r\n000\r\n\r\n")},
      {"chunk extensions", chunked("3;a=b;c=\"d e\"\r\nabc\r\n0;x\r\n\r\n")},
      {"chunk extensions with blanks and escapes", chunked("3; a = \"b\\\"c\" ;d\r\nabc\r\n0\r\n\r\n")},
      {"trailers", chunked("3\r\nabc\r\n0\r\nX: y\r\nZ:\r\n\r\n")},
      {"chunked in capitals", head("Transfer-Encoding: CHUNKED\r\n", "0\r\n\r\n")},
      {"a body that looks like a request", head("Content-Length: 18\r\n", "GET / HTTP/1.1\r\n\r\n")},
      {"HTTP/1.0 without Host", "GET /v1/calls HTTP/1.0\r\n\r\n"},
      {"odd Accept and cookies",
       hosts("Host: a\r\nAccept: ;;\r\nCookie: =;=\r\nCookie: a\r\nContent-Type:\r\n")},
      {"list fields twice", hosts("Host: a\r\nAccept: a/b\r\nAccept: c/d\r\n")},
  };
}

// The handler echoes, so a request that it gets but the server must refuse would be 200.
void check_refused(const ServerFixture& fixture, const Case& test, bool slowly) {
  CAPTURE(test.name);
  CAPTURE(slowly);
  auto client = fixture.connect();
  const int on = 1;
  ::setsockopt(client.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // The request after the invalid one must not be answered either.
  const auto bytes = test.bytes + get("/v1/calls/smuggled");
  if (slowly)
    for (const char c : bytes) client.send({&c, 1});
  else
    client.send(bytes);
  const auto answer = client.receive();
  REQUIRE(answer);
  CHECK(answer->status >= 400);
  CHECK(answer->status < 500);
  CHECK(answer->headers.at("cache-control") == "no-store");
  CHECK(answer->headers.at("connection") == "close");
  CHECK(answer->body.find(R"({"error":"invalid_request","error_description":")") == 0);
  CHECK(client.is_closed());
  CHECK(client.rest().empty());
}

}  // namespace

TEST_CASE_FIXTURE(ServerFixture,
                  "fault E - what RFC 9112 forbids is refused at once and closes the connection") {
  REQUIRE(start() != 0);
  for (const auto& test : refused()) check_refused(*this, test, false);
  CHECK(server->stats().requests == 0);
  CHECK(server->stats().refused == refused().size());
}

TEST_CASE_FIXTURE(ServerFixture, "fault E - refusals do not depend on how the octets are split") {
  REQUIRE(start() != 0);
  for (const auto& test : refused()) check_refused(*this, test, true);
  CHECK(server->stats().requests == 0);
}

TEST_CASE_FIXTURE(ServerFixture,
                  "framing - what RFC 9112 allows is served, sent at once and octet by octet") {
  REQUIRE(start() != 0);
  for (const auto& test : accepted()) {
    for (const bool slowly : {false, true}) {
      CAPTURE(test.name);
      CAPTURE(slowly);
      auto client = connect();
      const int on = 1;
      ::setsockopt(client.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      if (slowly)
        for (const char c : test.bytes) client.send({&c, 1});
      else
        client.send(test.bytes);
      const auto answer = client.receive();
      REQUIRE(answer);
      CHECK(answer->status == 200);
    }
  }
}

TEST_CASE_FIXTURE(ServerFixture, "framing - a request cut off anywhere is refused or dropped, never served") {
  REQUIRE(start() != 0);
  const auto whole = chunked("3\r\nabc\r\n0\r\nX: y\r\n\r\n");
  for (size_t length = 1; length < whole.size(); ++length) {
    CAPTURE(length);
    auto client = connect();
    client.send(std::string_view(whole).substr(0, length));
    client.finish_sending();
    const auto answer = client.receive();
    CHECK((!answer || answer->status == 400));
    CHECK(client.is_closed());
  }
  CHECK(server->stats().requests == 0);
}

TEST_CASE_FIXTURE(ServerFixture, "limits - a head of more than 16 KiB or 100 fields is 431") {
  config.limits.linger_ms = 100;
  REQUIRE(start() != 0);
  auto client = connect();
  client.send("GET /v1/calls HTTP/1.1\r\nHost: a\r\nX: " + std::string(16 * 1024, 'x') + "\r\n\r\n");
  CHECK(client.receive()->status == 431);
  auto many = connect();
  std::string fields;
  for (int i = 0; i < 100; ++i) fields += "X: y\r\n";
  many.send(hosts("Host: a\r\n" + fields));
  CHECK(many.receive()->status == 431);
  auto just = connect();
  just.send(hosts("Host: a\r\n" + fields.substr(6)));
  CHECK(just.receive()->status == 200);
  auto endless = connect();
  while (endless.send(std::string(4096, 'A'))) {
  }
  CHECK(server->stats().requests == 1);
}
