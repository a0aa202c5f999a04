// Share: a public link to a transcript, as stored and as returned by the API. Pure; any thread.
#pragma once

#include <patchbay/result.h>
#include <patchbay/store.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay::transcripts {

struct Share {
  std::string id, tenant;
  std::string masked_token;
  std::string file, call_id;
  int64_t attempt = 1;
  int64_t ttl_hours = 0;  // 0: never expires
  int64_t created_ms = 0;
  std::string created_by;
  int64_t expires_ms = 0;  // 0: never
  int64_t views = 0;
  int64_t last_viewed_ms = 0;  // 0: never
};

// Returns a token of 43 characters, which hold 256 random bits.
Result<std::string> new_share_token();
// Whether the text has the form of a token.
bool is_share_token(std::string_view text);
// Returns what is stored of a token: its SHA-256, in hexadecimal.
std::string share_token_hash(std::string_view token);
// Returns what events and lists show of a token: U+2026 and its last 8 characters.
std::string masked_share_token(std::string_view token);

// Reads a row of the statements share_get and share_open.
Share read_share(const Rows& rows, size_t row);

// The object of the API: its JSON, its schema, and its members for query_json() with the statement
// share_list. `token`: the whole one when it is created, else "".
std::string share_json(const Share& share, std::string_view token = {});
std::string share_schema(bool with_token = false);
std::string share_members();

// The data of share.created, share.viewed and share.revoked.
std::string share_created_data(const Share& share);
std::string share_viewed_data(const Share& share, std::string_view viewer_ip);
std::string share_revoked_data(const Share& share, std::string_view revoked_by);

}  // namespace patchbay::transcripts
