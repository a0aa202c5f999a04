#include "shares/share.h"

#include <patchbay/hex.h>
#include <patchbay/json.h>
#include <patchbay/text.h>
#include <patchbay/utc.h>

#include <algorithm>

#include "crypto/digest.h"
#include "crypto/random.h"
#include "transcript_limits.h"

namespace patchbay::transcripts {
namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

void write_time_or_null(JsonWriter& out, std::string_view name, int64_t time_ms) {
  out.key(name);
  if (time_ms == 0) {
    out.null();
  } else {
    out.value(utc_text(time_ms));
  }
}

}  // namespace

Result<std::string> new_share_token() { return lib::random_base62(kShareTokenSize); }

bool is_share_token(std::string_view text) {
  return text.size() == kShareTokenSize && std::all_of(text.begin(), text.end(), is_alphanumeric);
}

std::string share_token_hash(std::string_view token) { return to_hex(lib::sha256(token)); }

std::string masked_share_token(std::string_view token) {
  return std::string(kEllipsis).append(token.substr(token.size() - kShownTokenSize));
}

Share read_share(const Rows& rows, size_t row) {
  Share share;
  share.id = rows.text(row, 0);
  share.tenant = rows.text(row, 1);
  share.masked_token = rows.text(row, 2);
  share.file = rows.text(row, 3);
  share.call_id = rows.text(row, 4);
  share.attempt = rows.integer(row, 5);
  share.ttl_hours = rows.integer(row, 6);
  share.created_ms = rows.integer(row, 7);
  share.created_by = rows.text(row, 8);
  share.expires_ms = rows.integer(row, 9);
  share.views = rows.integer(row, 10);
  share.last_viewed_ms = rows.integer(row, 11);
  return share;
}

std::string share_json(const Share& share, std::string_view token) {
  JsonWriter out;
  out.object().member("id", share.id);
  if (token.empty()) {
    out.member("token", share.masked_token);
  } else {
    out.member("token", token).member("path", "/share/" + std::string(token));
  }
  out.member("file", share.file)
      .member("callId", share.call_id)
      .member("attempt", share.attempt)
      .member("ttlHours", share.ttl_hours)
      .member("createdAtUtc", utc_text(share.created_ms))
      .member("createdBy", share.created_by);
  write_time_or_null(out, "expiresUtc", share.expires_ms);
  out.member("views", share.views);
  write_time_or_null(out, "lastViewedUtc", share.last_viewed_ms);
  out.end();
  return std::move(out).str();
}

std::string share_schema(bool with_token) {
  return std::string(R"({"type":"object","required":["id","token",)") + (with_token ? R"("path",)" : "") +
         R"("file","callId","attempt","ttlHours","createdAtUtc","createdBy","expiresUtc","views","lastViewedUtc"],
  "properties":{"id":{"type":"string"},)" +
         (with_token ? R"("token":{"type":"string","description":"Shown in this response only"},
     "path":{"type":"string","description":"Of the public page, on any host name of the server"},)"
                     : R"("token":{"type":"string","description":"U+2026 and the last 8 characters"},)") +
         R"("file":{"type":"string"},"callId":{"type":"string"},"attempt":{"type":"integer"},
     "ttlHours":{"type":"integer"},"createdAtUtc":{"type":"string"},"createdBy":{"type":"string"},
     "expiresUtc":{"type":["string","null"]},"views":{"type":"integer"},"lastViewedUtc":{"type":["string","null"]}}})";
}

std::string share_members() {
  return "id token file callId attempt ttlHours createdAtUtc@ createdBy expiresUtc@? views lastViewedUtc@?";
}

std::string share_created_data(const Share& share) {
  JsonWriter out;
  out.object()
      .member("token", share.masked_token)
      .member("file", share.file)
      .member("ttlHours", share.ttl_hours)
      .member("createdBy", share.created_by);
  write_time_or_null(out, "expiresUtc", share.expires_ms);
  out.end();
  return std::move(out).str();
}

std::string share_viewed_data(const Share& share, std::string_view viewer_ip) {
  JsonWriter out;
  out.object()
      .member("token", share.masked_token)
      .member("file", share.file)
      .member("viewerIp", viewer_ip)
      .end();
  return std::move(out).str();
}

std::string share_revoked_data(const Share& share, std::string_view revoked_by) {
  JsonWriter out;
  out.object()
      .member("token", share.masked_token)
      .member("file", share.file)
      .member("revokedBy", revoked_by)
      .end();
  return std::move(out).str();
}

}  // namespace patchbay::transcripts
