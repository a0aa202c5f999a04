// The limits of whitelist that are not settings.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::whitelist {

// Of AdminSharedSecret; a tenant with a shorter one cannot use the endpoints (503).
inline constexpr size_t kMinSecretBytes = 24;

// Characters of an entry's comment; longer ones are cut.
inline constexpr size_t kMaxCommentCharacters = 200;
// How often a change is tried whose entries are changed by others meanwhile.
inline constexpr int kMaxChangeTries = 10;
// Lists of more entries are recorded in the audit log by their length only, because a record of all would be
// cut anyway.
inline constexpr size_t kMaxAuditedEntries = 100;
// The body of whitelist=write: some 40,000 numbers.
inline constexpr int64_t kMaxWriteBodyBytes = 1024 * 1024;

// Wrong signatures of one tenant and address: so many at once, then so many a second; beyond that 429. Of an
// IPv6 /48 kSiteSignaturesFactor times as many.
inline constexpr double kMaxWrongSignatures = 100;
inline constexpr double kWrongSignaturesPerSec = 1;
inline constexpr double kSiteSignaturesFactor = 16;
inline constexpr size_t kMaxSignatureKeys = 10'000;  // tenants and addresses that are counted

// Log lines about refused requests of one address: so many at once, then so many a second.
inline constexpr double kMaxRefusalLines = 20;
inline constexpr double kRefusalLinesPerSec = 0.2;
inline constexpr size_t kMaxRefusalLineAddresses = 4096;

}  // namespace patchbay::whitelist
