#include "patchbay/services/http_range.h"

#include <doctest/doctest.h>

#include <string>

using namespace patchbay;

namespace {

constexpr char kContent[] = "0123456789";

http::Response whole() {
  http::Response response;
  response.content_type = "audio/wav";
  response.bytes = Buffer::copy(kContent);
  response.headers.add("ETag", "\"v1\"");
  return response;
}

http::Request ask(const std::string& range, const std::string& if_range = "") {
  http::Request request;
  request.method = "GET";
  if (!range.empty()) request.headers.add("range", range);
  if (!if_range.empty()) request.headers.add("if-range", if_range);
  return request;
}

// "206 bytes 0-3/10: 0123"
std::string part(const http::Request& request) {
  const http::Response response = http::ranged(request, whole());
  CHECK(response.headers.text("Accept-Ranges") == "bytes");
  const std::string content(response.bytes.size() > 0 ? response.bytes.view() : "");
  return std::to_string(response.status) + " " + std::string(response.headers.text("Content-Range", "-")) +
         ": " + content;
}

}  // namespace

TEST_CASE("a single range is answered with its part of the content") {
  CHECK(part(ask("bytes=0-3")) == "206 bytes 0-3/10: 0123");
  CHECK(part(ask("Bytes=4-4")) == "206 bytes 4-4/10: 4");
  CHECK(part(ask("bytes=7-")) == "206 bytes 7-9/10: 789");
  CHECK(part(ask("bytes=7-99")) == "206 bytes 7-9/10: 789");
  CHECK(part(ask("bytes=-3")) == "206 bytes 7-9/10: 789");
  CHECK(part(ask("bytes=-99")) == "206 bytes 0-9/10: 0123456789");
  CHECK(part(ask("bytes=0-18446744073709551615")) == "206 bytes 0-9/10: 0123456789");
  CHECK(part(ask("bytes=0-99999999999999999999999")) == "206 bytes 0-9/10: 0123456789");
}

TEST_CASE("a range without a byte of the content gets 416 with the size") {
  for (const char* range : {"bytes=10-", "bytes=10-11", "bytes=-0", "bytes=99999999999999999999999-"}) {
    CAPTURE(std::string(range));
    const http::Response response = http::ranged(ask(range), whole());
    CHECK(response.status == 416);
    CHECK(response.headers.text("Content-Range") == "bytes */10");
    CHECK(response.bytes.size() == 0);
    CHECK(response.body.find("range_not_satisfiable") != std::string::npos);
  }
  CHECK(http::ranged(ask("bytes=0-"), http::Response{}).status == 416);  // no content
}

TEST_CASE("several, malformed and foreign ranges are ignored") {
  for (const char* range : {"", "bytes=0-1,4-5", "bytes=3-2", "bytes=-", "bytes=", "bytes=a-b", "bytes=1",
                            "bytes= 1-2", "bytes=+1-2", "bytes=1--2", "items=0-1", "0-1", "by"}) {
    CAPTURE(std::string(range));
    CHECK(part(ask(range)) == "200 -: 0123456789");
  }
}

TEST_CASE("ranges count only in GET, with the same ETag, and for content that is there") {
  CHECK(part(ask("bytes=0-1", "\"v1\"")) == "206 bytes 0-1/10: 01");
  CHECK(part(ask("bytes=0-1", "\"v0\"")) == "200 -: 0123456789");
  CHECK(part(ask("bytes=0-1", "Mon, 23 Nov 2026 10:00:00 GMT")) == "200 -: 0123456789");
  http::Request head = ask("bytes=0-1");
  head.is_head = true;
  CHECK(part(head) == "200 -: 0123456789");
  http::Request post = ask("bytes=0-1");
  post.method = "POST";
  CHECK(part(post) == "200 -: 0123456789");
  const http::Response missing = http::ranged(ask("bytes=0-1"), http::error(404, "not_found", "no"));
  CHECK(missing.status == 404);
  CHECK_FALSE(missing.headers.has("Accept-Ranges"));
  http::Response weak;
  weak.body = kContent;
  weak.headers.add("ETag", "W/\"v1\"");
  CHECK(http::ranged(ask("bytes=0-1", "W/\"v1\""), weak).status == 200);
  const http::Response text = http::ranged(ask("bytes=0-1"), weak);
  CHECK(text.status == 206);
  CHECK(text.bytes.view() == "01");
  CHECK(text.body.empty());
}
