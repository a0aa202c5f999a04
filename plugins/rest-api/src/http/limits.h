// Limits of HttpServer. Times in milliseconds, sizes in octets. Members of value 0 are settings, whose
// defaults are in settings.schema.json.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::rest_api {

struct ServerLimits {
  size_t max_head = 16 * 1024;
  size_t max_fields = 100;
  size_t max_body = 256 * 1024;  // of routes without Route::max_body; larger bodies are 413
  // The upper bound of Route::max_body; the share of one client in max_bodies is another.
  size_t max_route_body = 16 * 1024 * 1024;
  // Of all bodies that are being received or belong to unanswered requests; beyond it 503.
  size_t max_bodies = 0;
  // Unanswered requests of one connection; only safe methods run concurrently. Further ones are not read.
  size_t max_pipelined = 16;
  // Reads no further request while so much output of the connection is unsent.
  size_t max_output = 256 * 1024;
  // Of a stream; more unsent output closes it.
  size_t max_stream_output = 1024 * 1024;
  // Of the public listeners. Beyond it the server closes the connection that has been idle longest, else the
  // slowest of those that send a body or read responses with a lag of slow_ms, else the new one.
  size_t max_connections = 0;
  // Connections of one address (IPv6: of one /64, and ConnectionsPerAddress::kSiteFactor times as many of one
  // /48); more are closed at once. Trusted proxies are exempt.
  size_t max_per_address = 0;
  // Connections of the management port and of the admin socket each, per server thread; public clients cannot
  // use them up.
  size_t max_reserved = 64;
  // Spare descriptors of each public listener (DescriptorReserve); the others have a quarter.
  size_t spare_descriptors = 32;

  uint32_t handshake_ms = 10'000;
  uint32_t idle_ms = 60'000;
  uint32_t head_ms = 10'000;  // from the first octet of a request to the end of its head; then 408
  uint32_t body_ms = 60'000;  // from there to the end of the body; then 408
  // The lag (lag.h) from which a connection may be closed for others, and the least age of a body then.
  uint32_t slow_ms = 5'000;
  uint32_t answer_ms = 0;      // for a handler to answer; then the client gets 503
  uint32_t write_ms = 30'000;  // the lag in reading responses from which the connection is closed
  uint32_t linger_ms = 2'000;  // for the client to read the last response and close
};

}  // namespace patchbay::rest_api
