// The limits of identity that are not settings. Those of wrong passwords are in sign_in_limits.h, the cost of
// a password hash in password_hash.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::identity {

inline constexpr size_t kMaxPasswordBytes = 1024;
inline constexpr size_t kMaxUserNameBytes = 128;
// Of a hash in the configuration; a sign-in takes that much memory and time.
inline constexpr uint32_t kMaxHashMemoryKib = 1024 * 1024;
inline constexpr uint32_t kMaxHashPasses = 64;
inline constexpr uint32_t kMaxHashLanes = 16;

// Passwords that are checked at once, because each check takes 19 MiB and a processor.
inline constexpr size_t kMaxPasswordChecks = 2;
// Those that wait, in total and of one address; more are 503.
inline constexpr size_t kMaxWaitingPasswords = 256;
inline constexpr size_t kMaxWaitingPasswordsPerAddress = 4;

// The body of a request to the token endpoint.
inline constexpr size_t kMaxFormBytes = 16 * 1024;
inline constexpr size_t kMaxFormFields = 64;

inline constexpr size_t kMaxTokenBytes = 4096;
// Allowed difference between the clocks of two nodes; for nbf and iat, not for exp.
inline constexpr int64_t kClockLeewaySec = 60;
// Verified tokens that are cached, because checking a signature takes 40 us.
inline constexpr size_t kMaxCachedTokens = 10'000;

// How long a lookup of an API key is cached. A key that another node has revoked is accepted that long.
inline constexpr int64_t kApiKeyCacheMs = 1000;
inline constexpr size_t kMaxCachedApiKeys = 1000;

// How often the revisions of users, keys and revoked tokens are read: what another process of the database
// has changed counts here after that time.
inline constexpr int64_t kRevisionPollMs = 1000;
// How long a retired signing key verifies beyond the lifetime of its last token: other processes sign with it
// until they have read that it is retired.
inline constexpr int64_t kRetiredKeySlackMs = 60'000;
// How long the row of a removed user stays; a process that has not read the store for so long starts anew.
inline constexpr int64_t kRemovedUserMs = int64_t{7} * 86'400'000;

// Of users in the store.
inline constexpr size_t kMinPasswordBytes = 8;
inline constexpr size_t kGeneratedPasswordBytes = 20;
inline constexpr size_t kSipPasswordBytes = 24;

// How often expired refresh tokens and the rows of removed users are deleted.
inline constexpr int64_t kRefreshSweepMs = 3'600'000;

// Log lines about refused sign-ins of one address: so many at once, then so many a second.
inline constexpr double kMaxRefusalLines = 20;
inline constexpr double kRefusalLinesPerSec = 0.2;
inline constexpr size_t kMaxRefusalLineAddresses = 4096;

}  // namespace patchbay::identity
