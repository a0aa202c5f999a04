// The fixed limits and times of WebSocket connections and their threads.
#pragma once

#include <cstddef>

namespace patchbay::lib {

inline constexpr size_t kMaxIoThreads = 16;  // of one engine; each carries several hundred calls

inline constexpr int kCloseMs = 2000;                          // of the closing handshake
inline constexpr size_t kMaxUpgradeResponseBytes = 16 * 1024;  // of its header
inline constexpr size_t kReadBytes = 16 * 1024;  // room for each read, as long as the longest TLS record
inline constexpr size_t kReadAtOnceBytes = 64 * 1024;      // of one connection, before others have their turn
inline constexpr size_t kWriteBytes = 16 * 1024;           // of each write: the longest TLS record
inline constexpr size_t kMaxKeptBufferBytes = 256 * 1024;  // a larger buffer is freed when it is empty
inline constexpr size_t kMaxTlsSessionsOfPeer = 8;         // that wait for a connection which resumes them
inline constexpr size_t kMaxTlsTicketBytes = 4096;         // of a session; a ClientHello contains it
inline constexpr size_t kMaxTlsSessions = 64;  // of all peers of a TLS context; each takes some KB
inline constexpr size_t kMaxUnsentPongBytes =
    4096;  // beyond this, a peer that sends pings without reading gets no answer

}  // namespace patchbay::lib
