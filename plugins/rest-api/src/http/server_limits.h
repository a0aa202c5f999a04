// What one client may take of the edge. Times in milliseconds, sizes in octets. Those without a value here
// are settings, whose defaults are in the manifest.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::rest_api {

struct EdgeLimits {
  size_t max_head = 16 * 1024;
  size_t max_fields = 100;
  size_t max_body = 256 * 1024;  // of routes that do not say; see Route::max_body
  // What a route may say at most. The part of max_bodies that one client may take is a bound as well.
  size_t max_route_body = 16 * 1024 * 1024;
  // Of all bodies that are being received or belong to a request that was not answered yet; beyond it 503.
  size_t max_bodies = 0;
  // Requests of one connection that wait for their answer; safe methods only run beside each other.
  size_t max_pipelined = 16;
  // No further request is taken while this much output of the connection waits for its reader.
  size_t max_output = 256 * 1024;
  // Of a stream; more that nobody reads ends it.
  size_t max_stream_output = 1024 * 1024;
  // Of the public listeners. Beyond it the connection that has been idle longest makes room, else the slowest
  // of those that send a body or read their answers with a lag of slow_ms; when there is neither, the new one
  // is closed.
  size_t max_connections = 0;
  // Of one address (IPv6: of one /64, and AddressCounts::kSiteFactor times as many of one /48); more are
  // closed at once. Trusted proxies are exempt.
  size_t max_per_address = 0;
  // Of the management port and of the admin socket, per edge thread: places that public clients cannot take.
  size_t max_reserved = 64;
  // Descriptors each public listener keeps for times when the process has none; the others keep a quarter.
  size_t spare_descriptors = 32;

  uint32_t handshake_ms = 10'000;
  uint32_t idle_ms = 60'000;
  uint32_t head_ms = 10'000;  // from a request's first octet to the end of its head
  uint32_t body_ms = 60'000;  // from there to the end of the body
  // The lag (lag.h) with which a body or a reader may be given up for others, and the age that a body has
  // then.
  uint32_t slow_ms = 5'000;
  uint32_t answer_ms = 0;      // for the handler to answer; then the client gets 503
  uint32_t write_ms = 30'000;  // the lag with which a reader of answers is closed
  uint32_t linger_ms = 2'000;  // for the client to read the last answer and close
};

}  // namespace patchbay::rest_api
