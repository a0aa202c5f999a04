#include "outbound/call.h"

#include <patchbay/utc.h>

#include <algorithm>

namespace patchbay::ai_voice {

bool is_status(std::string_view text) noexcept {
  return std::find(kStatuses.begin(), kStatuses.end(), text) != kStatuses.end();
}

bool is_final(std::string_view status) noexcept {
  return status == status::kSuccess || status == status::kFailed || status == status::kCancelled;
}

namespace {

constexpr bool each_column_once() {
  std::array<bool, kCallFields.size()> seen{};
  for (const CallField& field : kCallFields) {
    if (field.column >= seen.size() || seen[field.column]) return false;
    seen[field.column] = true;
  }
  return true;
}
static_assert(each_column_once());

void write_member(JsonWriter& out, const CallField& field, const Call& call) {
  if (field.kind == CallField::Kind::omitted && (call.*field.text).empty()) return;
  out.key(field.json);
  if (field.kind == CallField::Kind::integer) {
    out.value(call.*field.integer);
  } else if (field.kind != CallField::Kind::time) {
    out.value(call.*field.text);
  } else if (const int64_t ms = call.*field.integer; ms != 0) {
    out.value(utc_text(ms));
  } else if (field.null_when_empty) {
    out.null();
  } else {
    out.value("");
  }
}

std::string_view schema_of(const CallField& field) {
  if (field.kind == CallField::Kind::integer) return R"({"type":"integer"})";
  if (field.json == "waitsFor") return kWaitsForSchema;
  return field.null_when_empty ? R"({"type":["string","null"]})" : R"({"type":"string"})";
}

void write_status_schema(JsonWriter& out) {
  out.object().member("type", "string").key("enum").array();
  for (const std::string_view status : kStatuses) out.value(status);
  out.end().end();
}

}  // namespace

Call read_call(const Rows& rows, size_t row) {
  Call call;
  for (const CallField& field : kCallFields) {
    if (field.text != nullptr)
      call.*field.text = rows.text(row, field.column);
    else
      call.*field.integer = rows.integer(row, field.column);
  }
  return call;
}

Values write_row(const Call& call) {
  Values row(kCallFields.size(), Value(nullptr));
  for (const CallField& field : kCallFields) {
    Value& value = row[field.column];
    switch (field.kind) {
      case CallField::Kind::text:
        value = Value(call.*field.text);
        break;
      case CallField::Kind::integer:
        value = Value(call.*field.integer);
        break;
      case CallField::Kind::time:
        if (call.*field.integer != 0) value = Value(call.*field.integer);
        break;
      case CallField::Kind::omitted:
        if (!(call.*field.text).empty()) value = Value(call.*field.text);
        break;
      case CallField::Kind::sealed:
        if (!(call.*field.text).empty()) value = Value::bytes(call.*field.text);
        break;
    }
  }
  return row;
}

void write_request(JsonWriter& out, const Call& call) {
  for (const CallField& field : kCallFields)
    if (field.in_transcript) write_member(out, field, call);
}

void write_call(JsonWriter& out, const Call& call) {
  out.object();
  for (const CallField& field : kCallFields)
    if (!field.json.empty()) write_member(out, field, call);
  out.end();
}

std::string record_members() {
  std::string members;
  for (const CallField& field : kCallFields) {
    if (field.json.empty()) continue;
    members.append(members.empty() ? "" : " ").append(field.json);
    if (field.kind == CallField::Kind::omitted) members += '-';
    if (field.kind == CallField::Kind::time) members += field.null_when_empty ? "@?" : "@";
  }
  return members;
}

std::string record_schema() {
  JsonWriter out;
  out.object().member("type", "object").key("required").array();
  for (const CallField& field : kCallFields)
    if (!field.json.empty() && field.kind != CallField::Kind::omitted) out.value(field.json);
  out.end().key("properties").object();
  for (const CallField& field : kCallFields) {
    if (field.json.empty()) continue;
    out.key(field.json);
    if (field.json == "status") {
      write_status_schema(out);
    } else {
      out.raw(schema_of(field));
    }
  }
  out.end().end();
  return std::move(out).str();
}

}  // namespace patchbay::ai_voice
