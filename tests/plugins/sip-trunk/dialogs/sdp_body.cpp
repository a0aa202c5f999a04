#include "dialogs/sdp_body.h"

#include <doctest/doctest.h>

#include <string>

using patchbay::sip_trunk::find_sdp;

TEST_CASE("the body is SDP by its type in any case, or without a type") {
  CHECK(find_sdp("application/sdp", "v=0") == "v=0");
  CHECK(find_sdp("Application/SDP ; charset=utf-8", "v=0") == "v=0");
  CHECK(find_sdp("", "v=0") == "v=0");
  CHECK(find_sdp("text/plain", "v=0").empty());
}

TEST_CASE("the first SDP part of a multipart body is found") {
  const std::string type = "Multipart/Mixed; BOUNDARY=\"x y\"";
  CHECK(find_sdp(type,
                 "preamble\r\n--x y\r\nContent-Type: application/isup\r\n\r\n\x01\r\n--x y\r\n"
                 "content-type:application/SDP;a=b\r\n\r\nv=0\r\n\r\n--x y--\r\n") == "v=0\r\n");
  CHECK(find_sdp("multipart/mixed;boundary=b", "--b\nc: application/sdp\n\nv=0\n--b--") == "v=0");
  CHECK(find_sdp("multipart/mixed;boundary=b", "--b\r\nContent-Type: application/sdp\r\n\r\nv=0") == "v=0");
}

TEST_CASE("malformed multipart bodies have no SDP") {
  for (const char* body : {"", "--b", "--b--", "--b\r\n", "--b\r\nContent-Type: application/sdp",
                           "no delimiter", "--b\r\nContent-Type: text/plain\r\n\r\nv=0\r\n--b--"})
    CHECK(find_sdp("multipart/mixed;boundary=b", body).empty());
  CHECK(find_sdp("multipart/mixed", "--\r\nContent-Type: application/sdp\r\n\r\nv=0\r\n").empty());
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += "--b\r\n";
  CHECK(find_sdp("multipart/mixed;boundary=b", many).empty());
}
