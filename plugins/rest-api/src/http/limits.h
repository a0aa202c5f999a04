// The limits of the HTTP server: sizes in octets, times in milliseconds. ServerLimits has those that a
// setting or a test changes; its members of value 0 are settings, whose defaults are in settings.schema.json.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::rest_api {

struct ServerLimits {
  size_t max_head = 16 * 1024;   // of request line and header fields; larger ones are 431
  size_t max_fields = 100;       // header fields; more are 431
  size_t max_body = 256 * 1024;  // of routes without Route::max_body; larger bodies are 413
  // The upper bound of Route::max_body; the share of one client in max_bodies is another.
  size_t max_route_body = 15 * 1024 * 1024;
  // Of all bodies that are being received or belong to unanswered requests, and as much again of responses
  // that wait for their readers; beyond it 503.
  size_t max_bodies = 0;
  // Unanswered requests of one connection; only safe methods run concurrently. Further ones are not read.
  size_t max_pipelined = 16;
  // Reads no further request, and serialises no further response, while so much output of the connection is
  // unsent. Reads none while a body above kMaxCopiedBody is unsent.
  size_t max_output = 256 * 1024;
  // Of the public listeners. Beyond it choose_eviction() chooses a connection to close, else the new one is
  // closed.
  size_t max_connections = 0;
  // Connections of one address (IPv6: of one /64, and kSiteConnectionsFactor times as many of one /48); more
  // are closed at once. Trusted proxies are exempt.
  size_t max_per_address = 0;
  // Connections of the management port and of the admin socket each, per server thread; public clients cannot
  // use them up.
  size_t max_reserved = 64;
  // Spare descriptors of each public listener (DescriptorReserve); the others have a quarter.
  size_t spare_descriptors = 32;

  uint32_t handshake_ms = 10'000;  // of TLS; then the connection is closed
  uint32_t idle_ms = 60'000;       // without a request on a kept-alive connection; then it is closed
  uint32_t head_ms = 10'000;       // from the first octet of a request to the end of its head; then 408
  uint32_t body_ms = 60'000;       // from there to the end of the body; then 408
  // The lag (lag.h) from which a connection may be closed for others, and the least age of a body then.
  uint32_t slow_ms = 5'000;
  uint32_t answer_ms = 0;      // for a handler to answer; then the client gets 503
  uint32_t write_ms = 30'000;  // the lag in reading responses from which the connection is closed
  uint32_t linger_ms = 2'000;  // for the client to read the last response and close
};

// The rate at which a client must send a body and read a response; below it, its lag grows (lag.h).
inline constexpr int64_t kMinOctetsPerSec = 1024;

// Connections of an IPv6 /48, as a multiple of those of one address, because one customer may have many /64.
inline constexpr size_t kSiteConnectionsFactor = 4;

// One client may hold one part in so many of ServerLimits::max_bodies, so that it cannot use them up. A
// larger response counts as that part.
inline constexpr size_t kBodyBudgetShares = 8;
// The part of an IPv6 /48, as a multiple of a client's.
inline constexpr size_t kSiteBodyFactor = 2;
// Octets of each body that are not counted, so that small requests are served when the budget is used up.
inline constexpr size_t kFreeBodyOctets = 4 * 1024;
// The longest body that is read and dropped so that the connection can be kept, when no handler needs it.
inline constexpr uint64_t kMaxDiscardedBody = 16 * 1024;
// Octets of all extensions and trailers of a chunked body, which max_body does not count; more are 400.
inline constexpr size_t kMaxChunkExtras = 16 * 1024;

// Octets of a path; longer ones are 414, because the search for a route parses the path up to seven times.
inline constexpr size_t kMaxPath = 2 * 1024;
// Parameters of a query; more are 400, because each is compared with all before it.
inline constexpr size_t kMaxQueryParameters = 100;
// Bytes of a parameter's name that an error repeats.
inline constexpr size_t kMaxNamedParameter = 64;
// Octets of the canonical request line that the router parses: the longest path, the method and the version.
inline constexpr size_t kMaxRoutedLine = kMaxPath + 64;

// Octets of a response body that are copied behind its head, so that both are written at once; longer bodies
// are written without a copy, and count in the memory for responses.
inline constexpr size_t kMaxCopiedBody = 16 * 1024;

// Octets of a stream that are passed to its connection; what waits beyond is dropped when a client does not
// read, so that the reason of the close follows soon.
inline constexpr size_t kMaxStreamOutput = 64 * 1024;
// How long a WebSocket's client may take to answer a close frame.
inline constexpr uint32_t kStreamCloseMs = 2'000;
// Pings are not answered while so much waits for a client.
inline constexpr size_t kMaxUnsentForPong = 64 * 1024;

// Connections that the kernel holds for a listener until it accepts them.
inline constexpr int kListenBacklog = 4096;
// Connections that a listener accepts in one turn, so that others of its thread get theirs.
inline constexpr int kMaxAcceptsPerTurn = 64;
// How long a listener pauses when the process has no descriptors left, instead of spinning.
inline constexpr uint32_t kAcceptPauseMs = 100;
// When descriptors are short, connections that have been idle for less than this are not closed.
inline constexpr uint32_t kMinIdleWhenShortMs = 1000;
// How often a thread enforces the timeouts of its connections.
inline constexpr uint32_t kTimeoutCheckMs = 50;
// How long a handler call may occupy a server thread before another takes its connections over, and how often
// that is checked.
inline constexpr uint32_t kMaxHandlerCallMs = 1000;
inline constexpr uint32_t kHandlerCheckMs = 250;

}  // namespace patchbay::rest_api
