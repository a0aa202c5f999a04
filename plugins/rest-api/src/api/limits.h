// The limits of the API that are not settings: counts, and times in milliseconds.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::rest_api {

// Octets of a body that count as one more request in the rate limit, because large bodies cost more.
inline constexpr double kBodyOctetsPerRequest = 4096;
// Added to limits.answerSec for the HTTP server, which then answers 503 itself, because the main strand is
// blocked.
inline constexpr int64_t kServerGraceMs = 10'000;
// For handlers to answer once the server stops; an unanswered request would delay the stop.
inline constexpr int64_t kStoppingAnswerMs = 5'000;

// Checks of unknown bearers of one address: so many at once, then so many a second (AuthThrottle). Each costs
// a signature check or a query of the store.
inline constexpr double kMaxUnknownBearers = 100;
inline constexpr double kUnknownBearersPerSec = 5;
// How long a further one waits.
inline constexpr int64_t kUnknownBearerDelayMs = 1000;
// Those that wait, of one address and in total; more are 429.
inline constexpr size_t kMaxWaitingBearersPerAddress = 32;
inline constexpr size_t kMaxWaitingBearers = 4096;
// Valid bearers that are remembered, in each of two generations.
inline constexpr size_t kMaxKnownBearers = 10'000;

// Log lines of anonymous requests a minute: of one address, and of all (AnonymousLog).
inline constexpr uint64_t kMaxAnonymousLinesPerAddress = 10;
inline constexpr uint64_t kMaxAnonymousLines = 1000;
// Addresses with a summary line of their further requests; the others have one together.
inline constexpr size_t kMaxAnonymousSummaries = 50;
// Addresses that are counted; further ones are counted together, which bounds the memory.
inline constexpr size_t kMaxAnonymousAddresses = 4096;

// Refused routes that are kept for /readyz, and the octets of their names.
inline constexpr size_t kMaxRefusedRoutes = 100;
inline constexpr size_t kMaxRefusedRouteName = 200;

// Of streams, where their route does not say (http.h).
inline constexpr int64_t kDefaultMessageOctets = 64 * 1024;
inline constexpr int64_t kDefaultUnsentOctets = 1024 * 1024;
inline constexpr int64_t kDefaultPingMs = 30'000;
inline constexpr int64_t kDefaultStreamsPerAddress = 20;
inline constexpr int64_t kDefaultStreamsPerTenant = 1000;
// Messages of one client that its plugin has not answered, and their octets; then nothing further is read.
inline constexpr size_t kMaxUnansweredMessages = 64;
inline constexpr size_t kMaxUnansweredOctets = 256 * 1024;

// How often housekeeping looks for withdrawn handlers, renewed certificates and a removed admin socket.
inline constexpr int64_t kHousekeepingMs = 60'000;

}  // namespace patchbay::rest_api
