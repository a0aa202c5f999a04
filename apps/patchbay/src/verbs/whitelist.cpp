// patchbay whitelist: lists, adds, removes and replaces the numbers that may be dialled.
#include <patchbay/percent_encoding.h>
#include <patchbay/text.h>

#include <cstdio>
#include <memory>

#include "json/writer.h"
#include "list_table.h"
#include "server_verb.h"
#include "terminal_text.h"
#include "text_argument.h"
#include "verbs.h"

namespace patchbay::app {
namespace {

constexpr const char* kWhitelistPath = "/signal.ashx";

struct WhitelistOptions {
  ServerOptions server;
  std::string number;
  std::string comment;
  std::string file;
  bool may_be_empty = false;
};

void write_whitelist_entry(core::json::Writer& body, std::string_view number, std::string_view comment) {
  body.begin_object().member("number", number);
  if (!comment.empty()) body.member("comment", comment);
  body.end_object();
}

// The body of whitelist=write: a line per number, with a comment behind the first comma.
std::string whitelist_body(std::string_view text) {
  core::json::Writer body;
  body.begin_object().key("numbers").begin_array();
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view entry = trim(line);
    if (entry.empty() || entry.front() == '#') continue;
    const size_t comma = std::min(entry.find(','), entry.size());
    write_whitelist_entry(body, trim(entry.substr(0, comma)),
                          trim(entry.substr(std::min(comma + 1, entry.size()))));
  }
  body.end_array().end_object();
  return body.take();
}

void show_added(const core::json::Node& entry) {
  std::printf("%s %s\n", member(entry, "number").c_str(),
              member(entry, "added") == "true" ? "was added" : "was there");
}

void add_whitelist_list(Verb whitelist, int& exit_code) {
  Verb verb = whitelist.add_verb("list", "List the numbers that may be dialled");
  const auto options = std::make_shared<WhitelistOptions>();
  add_server_options(verb, options->server);
  verb.footer(
      "Examples:\n  patchbay whitelist list\n  patchbay whitelist list --tenant voice.example.com --json");
  verb.callback([options, &exit_code] {
    exit_code = exchange(
        options->server, "GET", kWhitelistPath, {{"whitelist", "list"}}, {},
        [](const core::json::Node& list) {
          std::fputs(list_table(list, {{"NUMBER", "number"}, {"COMMENT", "comment"}}, "numbers").c_str(),
                     stdout);
        });
  });
}

void add_whitelist_add(Verb whitelist, int& exit_code) {
  Verb verb = whitelist.add_verb("add", "Add a number; one that is there only gets the comment");
  const auto options = std::make_shared<WhitelistOptions>();
  verb.add_option("NUMBER", options->number, "Such as +4930123456").required();
  verb.add_option("--comment", options->comment, "Whose number it is");
  add_server_options(verb, options->server);
  verb.footer("Examples:\n  patchbay whitelist add +4930123456 --comment Office");
  verb.callback([options, &exit_code] {
    core::json::Writer body;
    write_whitelist_entry(body, options->number, options->comment);
    exit_code =
        exchange(options->server, "POST", kWhitelistPath, {{"whitelist", "add"}}, body.take(), show_added);
  });
}

void add_whitelist_remove(Verb whitelist, int& exit_code) {
  Verb verb = whitelist.add_verb("remove", "Remove a number, however it is written");
  const auto options = std::make_shared<WhitelistOptions>();
  verb.add_option("NUMBER", options->number, "Such as +4930123456").required();
  add_server_options(verb, options->server);
  verb.footer("Examples:\n  patchbay whitelist remove +4930123456");
  verb.callback([options, &exit_code] {
    exit_code =
        exchange(options->server, "DELETE", "/api.ashx/v1/admin/whitelist/" + percent_encode(options->number),
                 {}, {}, [](const core::json::Node& answer) {
                   if (const core::json::Node* deleted = answer.find("deleted"))
                     std::printf("%s was removed\n", member(*deleted, "number").c_str());
                 });
  });
}

void add_whitelist_write(Verb whitelist, int& exit_code) {
  Verb verb = whitelist.add_verb("write", "Replace all numbers by those of a file");
  const auto options = std::make_shared<WhitelistOptions>();
  verb.add_option("FILE", options->file,
                  "A number per line, with a comment behind a comma; # begins a remark")
      .required();
  verb.add_flag("--allow-empty", options->may_be_empty,
                "Accept a file without numbers, which forbids every dial");
  add_server_options(verb, options->server);
  verb.footer("Examples:\n  patchbay whitelist write numbers.csv");
  verb.callback([options, &exit_code] {
    const auto text = read_text_file(options->file);
    if (!text) {
      std::fprintf(stderr, "patchbay: %s\n", text.error().text.c_str());
      exit_code = kUsage;
      return;
    }
    exit_code = exchange(
        options->server, "POST", kWhitelistPath,
        {{"whitelist", "write"}, {"confirmEmpty", options->may_be_empty ? "1" : ""}}, whitelist_body(*text),
        [](const core::json::Node& answer) { std::printf("%s numbers\n", member(answer, "count").c_str()); });
  });
}

}  // namespace

void add_whitelist(Verb app, int& exit_code) {
  Verb verb = app.add_verb("whitelist", "Numbers that may be dialled");
  verb.require_verb();
  verb.footer("Examples:\n  patchbay whitelist list\n  patchbay whitelist add +4930123456 --comment Office");
  add_whitelist_list(verb, exit_code);
  add_whitelist_add(verb, exit_code);
  add_whitelist_remove(verb, exit_code);
  add_whitelist_write(verb, exit_code);
}

}  // namespace patchbay::app
