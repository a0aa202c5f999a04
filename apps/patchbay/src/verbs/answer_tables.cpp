#include "verbs/answer_tables.h"

#include <algorithm>
#include <array>

#include "terminal_text.h"

namespace patchbay::app {
namespace {

using core::json::Node;
using core::json::Type;

constexpr size_t kClockAt = 11;  // of "2026-11-20T12:30:05.000Z"
constexpr size_t kClockLength = 8;
constexpr size_t kNameWidth = 17;  // of "transferTargets" and two blanks

std::string clock_of(const std::string& utc) {
  return utc.size() > kClockAt + kClockLength ? utc.substr(kClockAt, kClockLength) : utc;
}

std::string joined(const Node* list) {
  std::string out;
  for (uint32_t i = 0; list != nullptr && i < list->size(); ++i)
    out += (i == 0 ? "" : " ") + harmless(list->element(i)->string());
  return out;
}

// A table of a list envelope's rows, or of a bare array's.
template <class F>
std::string rows_table(const Node& list, const std::vector<std::string>& headings, F row) {
  const Node* data = list.is(Type::array) ? &list : list.find("data");
  std::vector<std::vector<std::string>> rows;
  for (uint32_t i = 0; data != nullptr && i < data->size(); ++i) rows.push_back(row(*data->element(i)));
  return table(headings, rows);
}

}  // namespace

std::string calls_table(const Node& list) {
  return rows_table(
      list, {"CALL", "CREATED (UTC)", "PHONE", "STATUS", "REASON", "SEC"}, [](const Node& call) {
        return std::vector<std::string>{member(call, "callId"),      member(call, "createdAtUtc"),
                                        member(call, "phone"),       member(call, "status"),
                                        member(call, "endedReason"), member(call, "durationSec")};
      });
}

std::string shares_table(const Node& list) {
  return rows_table(list, {"SHARE", "TOKEN", "FILE", "CREATED (UTC)", "BY", "EXPIRES (UTC)", "VIEWS"},
                    [](const Node& share) {
                      const std::string expires = member(share, "expiresUtc");
                      return std::vector<std::string>{
                          member(share, "id"),        member(share, "token"),
                          member(share, "file"),      member(share, "createdAtUtc"),
                          member(share, "createdBy"), expires.empty() ? "never" : expires,
                          member(share, "views")};
                    });
}

std::string mails_table(const Node& list) {
  return rows_table(list, {"CALL", "CREATED (UTC)", "RECIPIENT", "STATE", "TRIES", "NEXT (UTC)", "ERROR"},
                    [](const Node& mail) {
                      return std::vector<std::string>{member(mail, "callId"),    member(mail, "createdAtUtc"),
                                                      member(mail, "recipient"), member(mail, "state"),
                                                      member(mail, "tries"),     member(mail, "nextTryUtc"),
                                                      member(mail, "error")};
                    });
}

std::string numbers_table(const Node& list) {
  return rows_table(list, {"NUMBER", "NAME", "MODE", "USER", "VISIBILITY", "SOURCE"}, [](const Node& number) {
    return std::vector<std::string>{member(number, "number"),     member(number, "name"),
                                    member(number, "mode"),       member(number, "user"),
                                    member(number, "visibility"), member(number, "source")};
  });
}

std::string number_text(const Node& number) {
  std::string out;
  const auto line = [&out](std::string name, const std::string& value) {
    name.resize(std::max<size_t>(name.size(), kNameWidth), ' ');
    out += name + value + "\n";
  };
  for (const char* name : {"number", "name", "mode", "user", "voice", "language", "model"})
    line(name, member(number, name));
  line("apiKey", member(number, "apiKey").empty() ? "" : "(set)");
  for (const char* name : {"systemPrompt", "greeting", "saveTranscripts", "maxDurationSec", "visibility"})
    line(name, member(number, name));
  line("transferTargets", joined(number.find("transferTargets")));
  line("transferBy", member(number, "transferBy"));
  line("source", member(number, "source"));
  return out;
}

std::string signing_keys_table(const Node& list) {
  return rows_table(list, {"KEY", "STATE", "CREATED (UTC)", "VERIFIES UNTIL (UTC)"}, [](const Node& key) {
    return std::vector<std::string>{member(key, "kid"), member(key, "state"), member(key, "createdAtUtc"),
                                    member(key, "verifiesUntilUtc")};
  });
}

std::string users_table(const Node& list) {
  return rows_table(list, {"USER", "ROLE", "STATE", "SOURCE", "SIP", "DISPLAY NAME"}, [](const Node& user) {
    return std::vector<std::string>{member(user, "username"),
                                    member(user, "role"),
                                    member(user, "disabled") == "true" ? "disabled" : "enabled",
                                    member(user, "source"),
                                    member(user, "hasSipPassword") == "true" ? "yes" : "no",
                                    member(user, "displayName")};
  });
}

std::string plugins_table(const Node& list) {
  return rows_table(list, {"PLUGIN", "VERSION", "STATE", "PROVIDES", "REASON"}, [](const Node& plugin) {
    return std::vector<std::string>{member(plugin, "id"), member(plugin, "version"), member(plugin, "state"),
                                    joined(plugin.find("provides")), member(plugin, "reason")};
  });
}

std::vector<std::string> refused_routes(const Node& ready) {
  std::vector<std::string> all;
  const Node* refused = ready.find("refused_routes");
  for (uint32_t i = 0; refused != nullptr && i < refused->size(); ++i)
    all.push_back(member(*refused->element(i), "route") + ": " + member(*refused->element(i), "why"));
  return all;
}

std::string call_line(const Node& call) {
  const std::string status = member(call, "status");
  std::string time = member(call, "createdAtUtc");
  for (const char* name : {"dispatchedAtUtc", "answeredAtUtc", "endedAtUtc"})
    time = std::max(time, member(call, name));  // ISO 8601 sorts as text
  std::string line = clock_of(time) + "  " + status;
  if (status == "scheduled") return line + "  for " + member(call, "scheduledForUtc");
  line += "  attempt " + member(call, "attempt");
  if (const std::string trunk = member(call, "trunkId"); !trunk.empty()) line += " through " + trunk;
  if (const std::string reason = member(call, "endedReason"); !reason.empty()) line += "  " + reason;
  if (const std::string detail = member(call, "errorDetail"); !detail.empty()) line += " (" + detail + ")";
  return line;
}

std::string transcript_text(const Node& transcript) {
  std::string out = member(transcript, "callId") + "  " + member(transcript, "phone") + "  " +
                    member(transcript, "startedUtc") + "  " + member(transcript, "durationSec") + " s  " +
                    member(transcript, "outcome") + "\n\n";
  const Node* turns = transcript.find("turns");
  for (uint32_t i = 0; turns != nullptr && i < turns->size(); ++i) {
    const Node& turn = *turns->element(i);
    out += clock_of(member(turn, "ts")) + "  " + member(turn, "speaker") + ": " + member(turn, "text") + "\n";
  }
  return out;
}

bool is_final(std::string_view status) {
  constexpr std::array<std::string_view, 3> kFinal{"ended-success", "ended-failed-final", "cancelled"};
  return std::find(kFinal.begin(), kFinal.end(), status) != kFinal.end();
}

}  // namespace patchbay::app
