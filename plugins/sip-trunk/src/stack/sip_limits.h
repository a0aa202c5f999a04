// The fixed limits, intervals and time-outs of sip-trunk. What an operator can set is in
// settings.schema.json.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::sip_trunk {

// Calls.
inline constexpr int64_t kMaxGateAnswerMs = 10'000;  // a dial gate that takes longer refuses the call
inline constexpr int64_t kReservationMs =
    30'000;                                     // of a place at a trunk, from the claim of a call to its dial
inline constexpr int64_t kTrunkRetryMs = 1000;  // while other servers or reserved places fill a trunk
inline constexpr int64_t kMinRingMs = 1000;     // least ring time-out that a caller can ask for
inline constexpr int64_t kMediaCheckMs = 1000;  // interval of comparing the silence with noMediaTimeoutSec
inline constexpr size_t kMaxDisplayNameBytes = 64;   // of From
inline constexpr size_t kMaxHeaderFieldBytes = 255;  // of user, host and Call-ID in an INVITE

// Dialogs.
inline constexpr char kAllowedMethods[] = "INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE, INFO, PRACK";
inline constexpr uint32_t kTransactionTimeoutMs = 32'000;  // timers B, F and H of RFC 3261: 64 * T1
// From the peer of a dialog, because sofia-sip keeps about 8 KiB per request for 32 s: 16 MiB of one call.
inline constexpr uint32_t kMaxInDialogPerSecond = 30;
inline constexpr uint32_t kDialogLingerMs = 40'000;    // longer than a final answer may come late (timer B)
inline constexpr uint32_t kMaxCredentialTries = 3;     // the proxy's, the server's, and one for a stale nonce
inline constexpr size_t kMaxChallengeBytes = 4096;     // of the nonce and opaque, which the answer repeats
inline constexpr size_t kMaxChallenges = 16;           // in one response
inline constexpr size_t kMaxTrustedAddresses = 16;     // of one dialog's peer
inline constexpr uint32_t kByePauseMs = 2000;          // before a BYE that could not be sent is tried again
inline constexpr size_t kMaxShownBytes = 200;          // of a reason phrase or header in `ended` and in logs
inline constexpr size_t kMaxShownParameterBytes = 64;  // of a challenge's value in a message
inline constexpr size_t kMaxBodyParts = 16;            // of a multipart body

// Session timers (RFC 4028).
inline constexpr int64_t kMinSessionSec = 90;       // the least that the RFC allows
inline constexpr int64_t kMaxSessionSec = 86'400;   // longer ones count as this
inline constexpr int64_t kMinRefreshPauseMs = 500;  // after a refresh that was not possible or failed
inline constexpr unsigned kMaxConflicts = 5;        // 491 to one re-INVITE

// Transfers.
inline constexpr int64_t kMinTransferMs = 1000;  // bounds of Transfer::timeout_ms
inline constexpr int64_t kMaxTransferMs = 180'000;
inline constexpr int64_t kFarTransferRingMs = 60'000;  // of the target of a far end's transfer
inline constexpr int64_t kReferrerByeMs =
    2000;  // then we end the dialog of a far end that has transferred its call
inline constexpr uint32_t kFirstTransferAttempt = 1001;  // in Call-IDs, beyond those of the call itself
inline constexpr size_t kMaxReferToBytes = 2048;         // of the header's value
inline constexpr size_t kMaxReplacesBytes = 1024;        // of the header's value

// Inbound calls.
inline constexpr int64_t kMaxOfferedMs = 10'000;       // until the plugin has taken the call; then 480
inline constexpr int64_t kMaxInboundRingMs = 180'000;  // until it is answered; then 480
inline constexpr int64_t kMaxAnswererReplyMs = 5000;   // an answerer that takes longer is passed over
inline constexpr int64_t kDrainRetrySec = 5;      // Retry-After of calls that come while the server stops
inline constexpr int64_t kRingRepeatMs = 60'000;  // RFC 3261 section 13.3.1.1

// The stack.
inline constexpr int64_t kMaxStartMs = 10'000;  // until the SIP thread listens
inline constexpr int64_t kStopGraceMs = 1500;   // how long stop() waits for the answers to BYE and CANCEL
inline constexpr int64_t kStatsMs = 5000;       // interval of exporting the stack's counters
// Requests outside of dialogs, from trunks and from other addresses separately, and from each address of
// trunks, so that a flood of one does not silence the others: sofia-sip keeps about 8 KiB per request for 32
// s, so 40 MiB of strangers and 120 MiB of trunks at most.
inline constexpr uint32_t kMaxOutOfDialogPerSecond = 150;
inline constexpr uint32_t kMaxOfTrunksPerSecond = 450;
inline constexpr uint32_t kMaxOrphansPerSecond = 10;  // answers to INVITEs of a killed process that get BYE

// SIP over TCP.
inline constexpr uint32_t kTcpKeepaliveMs = 25'000;       // interval of CRLF pings (RFC 5626 section 3.5.1)
inline constexpr uint32_t kTcpConnectTimeoutMs = 10'000;  // sofia-sip's TPTAG_TIMEOUT
inline constexpr int64_t kMinTcpRetryMs = 1000;           // least time for the second connection to a trunk
inline constexpr int64_t kTcpSweepMs = 1000;              // interval of looking for dead connections
inline constexpr size_t kMaxTlsPeers = 1024;              // whose certificates are remembered
inline constexpr size_t kMaxTcpPeers = 256;               // connections to these are checked
inline constexpr size_t kMaxAcceptedTcp = 64;           // beyond it, the ones idle the longest are shut down
inline constexpr uint32_t kMaxTcpIdleMs = 120'000;      // of an accepted connection
inline constexpr uint32_t kMinUnacknowledgedMs = 1000;  // TCP_USER_TIMEOUT: 4/5 of silenceTimeoutMs, within
inline constexpr uint32_t kMaxUnacknowledgedMs = 4000;  // these bounds, to leave time for another connection

// Registrar: what telephones may send before and after they have answered a challenge, per IPv4 address or
// IPv6 /64, because a whole office may be behind one address.
inline constexpr double kChallengesPerSecond = 20;
inline constexpr double kChallengeBurst = 200;
inline constexpr double kRegistersPerSecond = 10;
inline constexpr double kRegisterBurst = 100;
inline constexpr size_t kMaxRegisterSources = 65'536;     // whose rates are remembered
inline constexpr size_t kMaxPendingRegisters = 256;       // that wait for a decision
inline constexpr size_t kMaxContactsPerRegister = 10;     // in one REGISTER
inline constexpr size_t kMaxContactBytes = 512;           // of a Contact's URI
inline constexpr size_t kMaxCredentialsBytes = 4096;      // of one Authorization
inline constexpr size_t kMaxCredentials = 4;              // Authorization headers in one request
inline constexpr int64_t kNonceLifetimeMs = 300'000;      // then the telephone gets another one
inline constexpr size_t kMaxRegistrarConnections = 1024;  // over TCP and TLS
inline constexpr size_t kMaxUsedNonces = 65'536;          // whose counts are remembered, against replays
inline constexpr int64_t kBindingSweepMs = 1000;          // interval of looking for expired contacts
inline constexpr int64_t kContactStoreRetryMs = 5000;     // after contacts could not be stored
inline constexpr int64_t kNatKeepaliveMs = 25'000;        // of UDP telephones

// Users and their contacts.
inline constexpr size_t kMaxContacts = 20'000;
inline constexpr size_t kMaxContactsOfUser = 20;
inline constexpr int64_t kDefaultUserRingMs = 45'000;
inline constexpr int64_t kForkGraceMs = 2000;  // for a contact to report that it rang out

// Probing of trunks.
inline constexpr int64_t kProbePollMs = 500;    // interval of checking which trunks are due
inline constexpr int64_t kFirstProbeMs = 1000;  // after the first failure; doubled with each further one
inline constexpr int64_t kMaxProbeMs = 60'000;  // at most
inline constexpr int64_t kFirstCallRetryMs = 10'000;  // calls try a trunk again that never answers OPTIONS
inline constexpr int64_t kMaxCallRetryMs = 300'000;   // after this long at most

// Registrations at trunks.
inline constexpr int64_t kRegisterPollMs = 1000;          // interval of checking which are due
inline constexpr int64_t kRegisterMarginSec = 60;         // before the end of a long one it is renewed
inline constexpr int64_t kMinRegisteredSec = 10;          // shorter grants count as this, against a busy loop
inline constexpr int64_t kMaxRegisterSec = 86'400;        // that a trunk may ask for by 423
inline constexpr int64_t kFirstRegisterRetryMs = 30'000;  // after a failure; doubled with each further one
inline constexpr int64_t kMaxRegisterRetryMs = 1'800'000;  // at most
inline constexpr int64_t kMaxRegisterEndMs = 1000;         // how long the stop waits for the end of all

// SIP over TLS.
inline constexpr int64_t kCertificatePollMs = 30'000;  // interval of looking for renewed files

// Host names of trunks.
inline constexpr size_t kMaxAddressesOfName = 4;
inline constexpr size_t kMaxNaptrRecords = 8;          // of one name; further ones are ignored
inline constexpr size_t kMaxSrvRecords = 8;            // likewise
inline constexpr size_t kMaxTargets = 8;               // addresses that one call tries at one trunk
inline constexpr int64_t kDnsTimeoutMs = 1000;         // of a query's first try at a server; then it doubles
inline constexpr int kDnsTries = 3;                    // at each server
inline constexpr int64_t kMaxLookupMs = 15'000;        // of all queries for one host together
inline constexpr size_t kMaxLookupThreads = 8;         // a lookup blocks its thread
inline constexpr size_t kMaxNames = 1000;              // cached, and waiting for a thread
inline constexpr int64_t kNameFreshMs = 60'000;        // in the cache, whatever the records' TTL
inline constexpr int64_t kNameFailureFreshMs = 2'000;  // how long a failure is cached
inline constexpr int64_t kNameRefreshMs = 60'000;  // for the peer filter, which needs addresses before calls
inline constexpr int64_t kNameRetryMs = 5'000;     // after a failed refresh
inline constexpr int64_t kNamePollMs = 1'000;      // interval of checking which names are due

// Routes. Bounded, because all rows are in memory and the first match is found by going through them.
inline constexpr size_t kMaxStoredOutboundRoutes = 1000;
inline constexpr size_t kMaxStoredInboundRoutes = 10'000;
inline constexpr int64_t kRoutePollMs = 1'500;    // of the revisions: changes elsewhere count here within 2 s
inline constexpr size_t kMaxExplanations = 64;    // under way, as each waits for the dial gates
inline constexpr size_t kMaxExplainedRows = 100;  // unreachable rows in one explanation
inline constexpr int kMaxRouteWriteTries = 5;     // of a change that others keep overtaking

}  // namespace patchbay::sip_trunk
