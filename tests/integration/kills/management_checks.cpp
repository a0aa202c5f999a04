#include "management_checks.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "database.h"

namespace kills {
namespace {

// A share goes with its transcript.
bool may_be_gone(const ManagementJournal& journal, const Made& share) {
  return share.asked_to_remove || journal.transcripts.count(share.call) != 0;
}

bool must_be_gone(const ManagementJournal& journal, const Made& share) {
  const auto transcript = journal.transcripts.find(share.call);
  return share.removed || (transcript != journal.transcripts.end() && transcript->second);
}

std::set<std::string> ids(const Database& db, const std::string& table) {
  std::set<std::string> all;
  for (const auto& row : db.rows("SELECT id FROM " + table)) all.insert(row[0]);
  return all;
}

int status_of(const ServerProcess& server, const std::string& path, const std::string& headers) {
  const auto answer = server.ask_public({"GET", path, headers, ""});
  return answer ? answer->status : 0;
}

std::string message_id(const std::string& content) {
  const size_t at = content.find("Message-ID:");
  const size_t begin = content.find('<', at);
  return content.substr(begin, content.find('>', begin) - begin);
}

}  // namespace

void check_access(const ServerProcess& server, const ManagementJournal& journal) {
  for (const auto& [id, key] : journal.keys) {
    if (key.asked_to_remove && !key.removed) continue;
    CAPTURE(id);
    CHECK(status_of(server, "/api.ashx/v1/calls?limit=1", "Authorization: Bearer " + key.secret + "\r\n") ==
          (key.removed ? 401 : 200));
  }
  // Links that do not exist are limited to 30 for each address.
  int unknown = 0;
  for (const auto& [id, share] : journal.shares) {
    CAPTURE(id);
    if (must_be_gone(journal, share)) {
      if (++unknown <= 25) CHECK(status_of(server, "/share/" + share.secret, "") == 404);
    } else if (!may_be_gone(journal, share)) {
      CHECK(status_of(server, "/share/" + share.secret, "") == 200);
    }
  }
}

void check_management(const Environment& environment, const ManagementJournal& journal) {
  const Database db = environment.database();
  const auto keys = ids(db, "identity_api_key"), subscriptions = ids(db, "webhooks_subscription"),
             shares = ids(db, "transcripts_share");
  const auto check = [](const Made& made, bool there) {
    if (made.removed) CHECK_FALSE(there);
    if (!made.asked_to_remove) CHECK(there);
  };
  for (const auto& [id, key] : journal.keys) {
    CAPTURE(id);
    check(key, keys.count(id) == 1);
  }
  for (const auto& [id, subscription] : journal.subscriptions) {
    CAPTURE(id);
    check(subscription, subscriptions.count(id) == 1);
  }
  for (const auto& [id, share] : journal.shares) {
    CAPTURE(id);
    if (must_be_gone(journal, share)) CHECK(shares.count(id) == 0);
    if (!may_be_gone(journal, share)) CHECK(shares.count(id) == 1);
  }
  for (const auto& [call, acknowledged] : journal.transcripts) {
    if (!acknowledged) continue;
    CAPTURE(call);
    CHECK(db.count("SELECT COUNT(*) FROM transcripts_transcript WHERE call_id = '" + call + "'") == 0);
    CHECK_FALSE(
        std::filesystem::exists(environment.folder.file("data/transcripts/acme.example/" + call + ".json")));
  }
}

void check_mails(const Environment& environment) {
  const Database db = environment.database();
  CHECK(db.count("SELECT COUNT(*) FROM transcripts_mail WHERE state <> 'sent'") == 0);
  std::map<std::string, std::string> contents;  // by Message-ID
  for (const auto& message : environment.mails.messages()) {
    const std::string id = message_id(message.content);
    CAPTURE(id);
    CHECK(contents.emplace(id, message.content).first->second == message.content);
  }
  CHECK(static_cast<int>(contents.size()) == db.count("SELECT COUNT(*) FROM ai_voice_call"));
}

}  // namespace kills
