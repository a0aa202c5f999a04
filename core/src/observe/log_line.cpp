// Formats events as log lines.
#include <patchbay/utc.h>
#include <patchbay/utf8.h>

#include <algorithm>

#include "observe/limits.h"
#include "observe/log.h"
#include "observe/log_escape.h"

namespace patchbay::core::observe {
namespace {

constexpr size_t kUsualLine = 256;

std::string stamp(std::chrono::system_clock::time_point when) {
  using std::chrono::milliseconds;
  return utc_text(std::chrono::duration_cast<milliseconds>(when.time_since_epoch()).count());
}

// `clean`: the redacted form of the first `max_bytes` + kMaxText bytes of `text`.
std::string shortened(std::string_view text, std::string clean, size_t max_bytes) {
  const std::string_view kept = clip_utf8(clean, max_bytes);
  const bool whole = kept.size() == clean.size() && text.size() <= max_bytes + kMaxText;
  if (whole) return clean;
  return std::string(kept) + "...";
}

// The part of a text that is searched for secrets: what the line shows, and kMaxText more, so that a secret
// across the cut is found.
std::string_view searched(std::string_view text, size_t max_bytes) {
  return text.substr(0, max_bytes + kMaxText);
}

// Redacts before cutting and escaping, because a secret in pieces would not be recognised.
std::string value_of(const Field& field, const Redactor& redactor) {
  if (Redactor::is_secret_name(field.key)) return "[redacted]";
  return shortened(field.value, redactor.value(searched(field.value, kMaxValue)), kMaxValue);
}

std::string sentence_of(const Event& event, const Redactor& redactor) {
  return shortened(event.text, redactor.sentence(searched(event.text, kMaxText)), kMaxText);
}

// Names are not redacted: they come from code, and operators search for lines by correlation.
std::string name_of(std::string_view name) { return shortened(name, std::string(name), kMaxName); }

bool is_word(std::string_view text) {
  return !text.empty() && std::none_of(text.begin(), text.end(),
                                       [](char c) { return c == ' ' || c == '"' || c == '=' || c == '\''; });
}

void append_name(std::string& out, std::string_view name) {
  if (name.size() <= kMaxName) return append_escaped(out, name);
  append_escaped(out, name_of(name));
}

// Quotes the text unless it reads as one word.
void append_value(std::string& out, std::string_view text) {
  if (is_word(text)) return append_escaped(out, text);
  out += '"';
  std::string escaped;
  append_escaped(escaped, text);
  for (char c : escaped) {
    if (c == '"') out += '\\';
    out += c;
  }
  out += '"';
}

std::string to_text(const Event& event, const std::string& time, const Redactor& redactor) {
  constexpr const char* kLevels[] = {"DEBUG", "INFO ", "WARN ", "ERROR"};
  std::string out;
  out.reserve(kUsualLine);
  ((out += time) += ' ').append(kLevels[static_cast<size_t>(event.level)]) += ' ';
  append_name(out, event.component);
  if (!event.correlation.empty()) {
    out.append(" [");
    append_name(out, event.correlation);
    out += ']';
  }
  out += ' ';
  append_escaped(out, sentence_of(event, redactor));
  for (size_t i = 0; i < std::min(event.count, kMaxFields); ++i) {
    out += ' ';
    append_name(out, event.fields[i].key);
    out += '=';
    append_value(out, value_of(event.fields[i], redactor));
  }
  return out;
}

std::string to_json(const Event& event, const std::string& time, const Redactor& redactor) {
  std::string out = "{\"time\":\"" + time + "\",\"level\":\"" + level_name(event.level) + "\"";
  const auto member = [&](const char* name, std::string_view text) {
    (out += ",\"") += name;
    out += "\":";
    append_escaped_json(out, text);
  };
  member("component", name_of(event.component));
  if (!event.correlation.empty()) member("correlation", name_of(event.correlation));
  member("message", sentence_of(event, redactor));
  if (event.count > 0) out += ",\"fields\":{";
  for (size_t i = 0; i < std::min(event.count, kMaxFields); ++i) {
    if (i > 0) out += ",";
    append_escaped_json(out, name_of(event.fields[i].key));
    out += ":";
    append_escaped_json(out, value_of(event.fields[i], redactor));
  }
  return out += event.count > 0 ? "}}" : "}";
}

}  // namespace

Level level_of(std::string_view name) noexcept {
  for (const Level level : {Level::debug, Level::warn, Level::error})
    if (name == level_name(level)) return level;
  return Level::info;
}

const char* level_name(Level level) noexcept {
  constexpr const char* kNames[] = {"debug", "info", "warn", "error"};
  return kNames[static_cast<size_t>(level)];
}

std::string format_event(const Event& event, Format format, std::chrono::system_clock::time_point when,
                         const Redactor& redactor) {
  return format == Format::json ? to_json(event, stamp(when), redactor)
                                : to_text(event, stamp(when), redactor);
}

}  // namespace patchbay::core::observe
