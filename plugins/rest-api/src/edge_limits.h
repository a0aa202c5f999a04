// What one client may take of the edge. Times in milliseconds, sizes in octets.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::rest_api {

struct EdgeLimits {
  size_t max_head = 16 * 1024;
  size_t max_fields = 100;
  size_t max_body = 1024 * 1024;
  // Requests of one connection that wait for their answer; safe methods only run beside each other.
  size_t max_pipelined = 16;
  // No further request is taken while this much output of the connection waits for its reader.
  size_t max_output = 256 * 1024;
  // Of a stream; more that nobody reads ends it.
  size_t max_stream_output = 1024 * 1024;
  // Of all listeners. Beyond it the connection that has been idle longest makes room.
  size_t max_connections = 8192;

  uint32_t handshake_ms = 10'000;
  uint32_t idle_ms = 60'000;
  uint32_t head_ms = 10'000;     // from a request's first octet to the end of its head
  uint32_t body_ms = 60'000;     // from there to the end of the body
  uint32_t answer_ms = 120'000;  // for the handler; then 503
  uint32_t write_ms = 30'000;    // for each 64 KiB
  uint32_t linger_ms = 2'000;    // for the client to read the last answer and close
};

}  // namespace patchbay::rest_api
