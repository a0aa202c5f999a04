// patchbay share: makes, lists and revokes public links to transcripts.
#include <patchbay/percent_encoding.h>

#include <cstdio>
#include <memory>

#include "answer_tables.h"
#include "json/writer.h"
#include "list_request.h"
#include "server_verb.h"
#include "terminal_text.h"
#include "verbs.h"

namespace patchbay::app {
namespace {

constexpr const char* kSharesPath = "/api.ashx/v1/admin/shares";

struct ShareOptions {
  ServerOptions server;
  std::string file;
  std::string id;
  int hours = 168;
  int limit = kAllRows;
};

// A call's id stands for the transcript of its first attempt.
std::string transcript_file(const std::string& file_or_call) {
  return file_or_call.ends_with(".json") ? file_or_call : file_or_call + ".json";
}

void add_share_create(Verb shares, int& exit_code) {
  Verb verb = shares.add_verb("create", "Make a public link to a transcript; it is shown only now");
  const auto options = std::make_shared<ShareOptions>();
  verb.add_option("FILE", options->file,
                  "The transcript's file, or the call's id for that of its first attempt")
      .required();
  verb.add_option("--hours", options->hours, "Hours until the link expires, 168 by default; 0: never")
      .range(0, 8760)
      .type_name("N");
  add_server_options(verb, options->server);
  verb.footer(
      "The link is a path: put https:// and a host name of the server before it.\n\n"
      "Examples:\n  patchbay share create oac-0123456789ab --hours 24\n"
      "  patchbay share create oac-0123456789ab-2.json --json");
  verb.callback([options, &exit_code] {
    core::json::Writer body;
    body.begin_object()
        .member("file", std::string_view(transcript_file(options->file)))
        .member("ttlHours", options->hours)
        .end_object();
    exit_code =
        exchange(options->server, "POST", kSharesPath, {}, body.take(), [](const core::json::Node& made) {
          const std::string expires = member(made, "expiresUtc");
          std::printf("id       %s\npath     %s\nexpires  %s\n", member(made, "id").c_str(),
                      member(made, "path").c_str(), expires.empty() ? "never" : expires.c_str());
        });
  });
}

void add_share_list(Verb shares, int& exit_code) {
  Verb verb = shares.add_verb("list", "List the links that are neither revoked nor expired, newest first");
  const auto options = std::make_shared<ShareOptions>();
  add_limit_option(verb, options->limit);
  add_server_options(verb, options->server);
  verb.footer("Examples:\n  patchbay share list\n  patchbay share list --json");
  verb.callback([options, &exit_code] {
    exit_code =
        exchange_list(options->server, kSharesPath, {}, options->limit,
                      [](const core::json::Node& list) { std::fputs(shares_table(list).c_str(), stdout); });
  });
}

void add_revoke(Verb shares, int& exit_code) {
  Verb verb = shares.add_verb("revoke", "Revoke a link: it works no longer");
  const auto options = std::make_shared<ShareOptions>();
  verb.add_option("ID", options->id, "Such as shr-0123456789abcdef, from the list").required();
  add_server_options(verb, options->server);
  verb.footer("Examples:\n  patchbay share revoke shr-0123456789abcdef");
  verb.callback([options, &exit_code] {
    exit_code =
        exchange(options->server, "DELETE", std::string(kSharesPath) + "/" + percent_encode(options->id), {},
                 {}, [](const core::json::Node&) { std::printf("revoked\n"); });
  });
}

}  // namespace

void add_share(Verb app, int& exit_code) {
  Verb verb = app.add_verb("share", "Public links to transcripts");
  verb.require_verb();
  verb.footer("Examples:\n  patchbay share create oac-0123456789ab --hours 24\n  patchbay share list");
  add_share_create(verb, exit_code);
  add_share_list(verb, exit_code);
  add_revoke(verb, exit_code);
}

}  // namespace patchbay::app
