#include "websocket/frame.h"

#include <doctest/doctest.h>

#include <string>

using namespace patchbay::lib;

namespace {

std::string bytes(std::initializer_list<int> list) {
  std::string out;
  for (const int byte : list) out += static_cast<char>(byte);
  return out;
}

}  // namespace

TEST_CASE("frame: the example of RFC 6455 section 5.7") {
  std::string out;
  append_frame(out, Opcode::text, "Hello", 0x3d21fa37);  // 37 fa 21 3d on a little-endian machine
  CHECK(out == bytes({0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58}));
}

TEST_CASE("frame: every length is written in the shortest form, and unmasks to the payload") {
  for (const size_t size : {0u, 1u, 15u, 16u, 17u, 125u, 126u, 127u, 1000u, 65535u, 65536u, 70001u}) {
    CAPTURE(size);
    std::string payload(size, '\0');
    for (size_t i = 0; i < size; ++i) payload[i] = static_cast<char>(i * 7);
    std::string out = "before";
    append_frame(out, Opcode::binary, payload, 0x01020304);
    out.erase(0, 6);
    const size_t header = size < 126 ? 2 : size <= 65535 ? 4 : 10;
    REQUIRE(out.size() == header + 4 + size);
    // Without the mask it is a server's frame.
    std::string unmasked = out.substr(0, header);
    unmasked[1] = static_cast<char>(unmasked[1] & 0x7f);
    for (size_t i = 0; i < size; ++i)
      unmasked += static_cast<char>(out[header + 4 + i] ^ out[header + i % 4]);
    const auto read = read_frame_header(unmasked);
    REQUIRE(read.header);
    CHECK(read.header->opcode == Opcode::binary);
    CHECK(read.header->final);
    CHECK(read.header->header_bytes == header);
    CHECK(read.header->payload_bytes == size);
    CHECK(unmasked.substr(header) == payload);
  }
}

TEST_CASE("frame: a header in parts needs more bytes") {
  const std::string header = bytes({0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0});
  for (size_t size = 0; size < header.size(); ++size) {
    const auto read = read_frame_header(std::string_view(header).substr(0, size));
    CHECK_FALSE(read.header);
    CHECK(read.error == nullptr);
  }
  CHECK(read_frame_header(header).header->payload_bytes == 65536);
}

TEST_CASE("frame: what no server may send is refused") {
  for (const std::string& header :
       {bytes({0x81, 0x80}), bytes({0xC1, 0}), bytes({0xA1, 0}), bytes({0x91, 0}), bytes({0x83, 0}),
        bytes({0x87, 0}), bytes({0x8B, 0}), bytes({0x8F, 0}), bytes({0x08, 0}), bytes({0x09, 0}),
        bytes({0x89, 126, 0, 126}), bytes({0x82, 126, 0, 125}),
        bytes({0x82, 127, 0, 0, 0, 0, 0, 0, 0xff, 0xff}), bytes({0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0})}) {
    CAPTURE(header);
    const auto read = read_frame_header(header);
    CHECK_FALSE(read.header);
    CHECK(read.error != nullptr);
  }
}

TEST_CASE("frame: codes that a close frame may have") {
  for (const uint16_t code : {1000, 1001, 1003, 1007, 1011, 1014, 3000, 4999}) CHECK(is_close_code(code));
  for (const uint16_t code : {0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 65535})
    CHECK_FALSE(is_close_code(code));
}

TEST_CASE("frame: the reason of a close frame is cut between characters") {
  const std::string payload = close_payload(1000, std::string(122, 'x') + "\xc3\xa4");
  CHECK(payload == bytes({3, 0xe8}) + std::string(122, 'x'));
}
