// The limits of identity that are not settings. Those of wrong passwords are in rate/sign_in_limits.h, the
// cost of a password hash in password_hash.h.
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
inline constexpr size_t kMaxNamedField = 40;  // longer names are not in errors

// Of an authorization request. The ticket of the login form holds all of it, and must fit a form.
inline constexpr size_t kMaxRedirectUriBytes = 2048;
inline constexpr size_t kMaxStateBytes = 2048;
inline constexpr size_t kMaxNonceBytes = 512;
// How long a shown form can be sent.
inline constexpr int64_t kTicketMs = 600'000;
// Characters of random secrets, 5.95 bits each: of codes and session cookies, and of the cookie that tickets
// are bound to.
inline constexpr size_t kCodeCharacters = 43;
inline constexpr size_t kCookieCharacters = 43;

// How long an authorization code is valid, and how long its row stays, so that a second use is noticed.
inline constexpr int64_t kCodeMs = 60'000;
inline constexpr int64_t kCodeRowMs = 3'600'000;
// Of one user; beyond it the oldest are deleted.
inline constexpr int64_t kMaxSessionsPerUser = 100;
inline constexpr int64_t kMaxCodesPerUser = 100;
// The longest tokenLifetimeSec: how long the revocation of a sign-in must be remembered.
inline constexpr int64_t kMaxTokenLifetimeMs = 86'400'000;
// Revoked tokens of a tenant in memory; beyond it further revocations of the tenant are refused with 503.
inline constexpr size_t kMaxRevoked = 200'000;

inline constexpr size_t kMaxTokenBytes = 4096;
// Allowed difference between the clocks of two nodes; for nbf and iat, not for exp.
inline constexpr int64_t kClockLeewaySec = 60;
// Verified tokens that are cached, because checking a signature takes 40 us.
inline constexpr size_t kMaxCachedTokens = 10'000;

// How long a lookup of an API key is cached. A key that another node has revoked is accepted that long.
inline constexpr int64_t kApiKeyCacheMs = 1000;
inline constexpr size_t kMaxCachedApiKeys = 1000;

// How long a retired signing key verifies beyond the lifetime of its last token: other processes sign with it
// until they have read that it is retired.
inline constexpr int64_t kRetiredKeySlackMs = 60'000;
// How long this server must know the next key before it signs, when servers share the database: longer than
// it takes until all of them know it.
inline constexpr int64_t kMinNextKeyMs = 2'000;
// How long the row of a removed user stays; a process that has not read the store for so long starts anew.
inline constexpr int64_t kRemovedUserMs = int64_t{7} * 86'400'000;

// Of users in the store.
inline constexpr size_t kMinPasswordBytes = 8;
inline constexpr size_t kGeneratedPasswordBytes = 20;
inline constexpr size_t kSipPasswordBytes = 24;

// How often expired refresh tokens, sessions and codes, and the rows of removed users, are deleted.
inline constexpr int64_t kRefreshSweepMs = 3'600'000;

// Log lines about refused sign-ins of one address: so many at once, then so many a second.
inline constexpr double kMaxRefusalLines = 20;
inline constexpr double kRefusalLinesPerSec = 0.2;
inline constexpr size_t kMaxRefusalLineAddresses = 4096;

}  // namespace patchbay::identity
