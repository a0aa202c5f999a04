// patchbay number: lists, shows, creates, changes and deletes virtual numbers.
#include <patchbay/percent_encoding.h>

#include <cstdio>
#include <memory>
#include <vector>

#include "answer_tables.h"
#include "json/writer.h"
#include "list_request.h"
#include "server_verb.h"
#include "terminal_text.h"
#include "text_argument.h"
#include "verbs.h"

namespace patchbay::app {
namespace {

constexpr const char* kNumbersPath = "/api.ashx/v1/admin/numbers";

// Options of create and change; an option that is not given is left out of the request.
struct NumberOptions {
  ServerOptions server;
  std::string number;
  std::string name, mode, user, voice, language, model, prompt, api_key_file, greeting, visibility;
  std::string transcripts;  // "keep" or "drop"
  int max_seconds = 0;      // 0: not given
  std::vector<std::string> transfer_to;
  std::string transfer_by;  // "bridge", "refer" or "tenant"
  int limit = kAllRows;
};

Result<std::string> request_body(const NumberOptions& options, bool creates) {
  core::json::Writer body;
  body.begin_object();
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) body.member(name, std::string_view(value));
  };
  if (creates) add("number", options.number);
  add("name", options.name);
  add("mode", options.mode);
  add("user", options.user);
  add("voice", options.voice);
  add("language", options.language);
  add("model", options.model);
  PB_TRY_VALUE(const std::string prompt, text_or_file(options.prompt));
  add("systemPrompt", prompt);
  if (!options.api_key_file.empty()) {
    PB_TRY_VALUE(const std::string key, read_text_file(options.api_key_file));
    add("apiKey", key);
  }
  PB_TRY_VALUE(const std::string greeting, text_or_file(options.greeting));
  add("greeting", greeting);
  add("visibility", options.visibility);
  if (!options.transcripts.empty()) {
    if (options.transcripts != "keep" && options.transcripts != "drop")
      return {Code::invalid, "--transcripts is keep or drop"};
    body.member("saveTranscripts", options.transcripts == "keep");
  }
  if (options.max_seconds > 0) body.member("maxDurationSec", options.max_seconds);
  if (!options.transfer_to.empty()) {
    body.key("transferTargets").begin_array();
    for (const std::string& target : options.transfer_to) body.value(std::string_view(target));
    body.end_array();
  }
  if (options.transfer_by == "tenant") body.member("transferBy", "");
  if (options.transfer_by != "tenant") add("transferBy", options.transfer_by);
  body.end_object();
  return body.take();
}

std::string path_of_number(const std::string& number) {
  return std::string(kNumbersPath) + "/" + percent_encode(number);
}

void show_number(const core::json::Node& number) { std::fputs(number_text(number).c_str(), stdout); }

int send(const NumberOptions& options, bool creates) {
  const auto body = request_body(options, creates);
  if (!body) {
    std::fprintf(stderr, "patchbay: %s\n", body.error().text.c_str());
    return kUsage;
  }
  return creates ? exchange(options.server, "POST", kNumbersPath, {}, *body, show_number)
                 : exchange(options.server, "PATCH", path_of_number(options.number), {}, *body, show_number);
}

void add_record_options(Verb verb, NumberOptions& options) {
  verb.add_option("--mode", options.mode, "live-voice-ai, ring-user or disabled").type_name("MODE");
  verb.add_option("--user", options.user, "User who is called with the mode ring-user");
  verb.add_option("--prompt", options.prompt, "What the AI is to do: text, or @FILE");
  verb.add_option("--greeting", options.greeting, "What the AI says first: text, or @FILE");
  verb.add_option("--voice", options.voice, "Voice, such as Aoede or Kore");
  verb.add_option("--language", options.language, "Language tag, such as en-US");
  verb.add_option("--model", options.model, "AI model, such as local");
  verb.add_option("--api-key-file", options.api_key_file, "File with the AI engine's key").type_name("FILE");
  verb.add_option("--visibility", options.visibility, "Browsers that may call: public, signed-in or hidden")
      .type_name("WHO");
  verb.add_option("--transcripts", options.transcripts, "What becomes of transcripts: keep or drop")
      .type_name("WHAT");
  verb.add_option("--max-seconds", options.max_seconds, "Maximum duration of a talk, 10 to 3600")
      .range(10, 3600)
      .type_name("N");
  verb.add_option("--transfer-to", options.transfer_to,
                  "Users and numbers to which the AI may transfer, separated by commas")
      .delimiter(',')
      .type_name("TARGETS");
  verb.add_option("--transfer-by", options.transfer_by,
                  "How it transfers to numbers: bridge, refer, or tenant for the tenant's setting")
      .type_name("HOW");
  add_server_options(verb, options.server);
}

void add_number_list(Verb numbers, int& exit_code) {
  Verb verb = numbers.add_verb("list", "List the virtual numbers");
  const auto options = std::make_shared<NumberOptions>();
  add_limit_option(verb, options->limit);
  add_server_options(verb, options->server);
  verb.footer("Examples:\n  patchbay number list\n  patchbay number list --tenant voice.example.com --json");
  verb.callback([options, &exit_code] {
    exit_code =
        exchange_list(options->server, kNumbersPath, {}, options->limit,
                      [](const core::json::Node& list) { std::fputs(numbers_table(list).c_str(), stdout); });
  });
}

void add_number_show(Verb numbers, int& exit_code) {
  Verb verb = numbers.add_verb("show", "Show one virtual number");
  const auto options = std::make_shared<NumberOptions>();
  verb.add_option("NUMBER", options->number, "Such as +4930123450").required();
  add_server_options(verb, options->server);
  verb.footer("Examples:\n  patchbay number show +4930123450\n  patchbay number show 100 --json");
  verb.callback([options, &exit_code] {
    exit_code = exchange(options->server, "GET", path_of_number(options->number), {}, {}, show_number);
  });
}

void add_number_create(Verb numbers, int& exit_code) {
  Verb verb = numbers.add_verb("create", "Create a virtual number");
  const auto options = std::make_shared<NumberOptions>();
  verb.add_option("NUMBER", options->number, "Such as +4930123450, or an extension such as 100").required();
  verb.add_option("--name", options->name, "Label of the number").required();
  add_record_options(verb, *options);
  verb.footer(
      "Examples:\n  patchbay number create +4930123450 --name Reception --prompt @reception.txt\n"
      "  patchbay number create 100 --name Alice --mode ring-user --user alice");
  verb.callback([options, &exit_code] { exit_code = send(*options, true); });
}

void add_number_change(Verb numbers, int& exit_code) {
  Verb verb = numbers.add_verb("change", "Change a virtual number; what is not given stays");
  const auto options = std::make_shared<NumberOptions>();
  verb.add_option("NUMBER", options->number, "Such as +4930123450").required();
  verb.add_option("--name", options->name, "Label of the number");
  add_record_options(verb, *options);
  verb.footer("Examples:\n  patchbay number change +4930123450 --mode disabled");
  verb.callback([options, &exit_code] { exit_code = send(*options, false); });
}

void add_number_delete(Verb numbers, int& exit_code) {
  Verb verb = numbers.add_verb("delete", "Delete a virtual number");
  const auto options = std::make_shared<NumberOptions>();
  verb.add_option("NUMBER", options->number, "Such as +4930123450").required();
  add_server_options(verb, options->server);
  verb.footer("Examples:\n  patchbay number delete +4930123450");
  verb.callback([options, &exit_code] {
    exit_code = exchange(options->server, "DELETE", path_of_number(options->number), {}, {},
                         [](const core::json::Node& answer) {
                           const core::json::Node* deleted = answer.find("deleted");
                           if (deleted != nullptr)
                             std::printf("deleted %s\n", member(*deleted, "number").c_str());
                         });
  });
}

}  // namespace

void add_number(Verb app, int& exit_code) {
  Verb verb = app.add_verb("number", "Virtual numbers: AI voices and users that callers reach");
  verb.require_verb();
  verb.footer(
      "Examples:\n  patchbay number list\n  patchbay number create 100 --name Alice --mode ring-user --user "
      "alice");
  add_number_list(verb, exit_code);
  add_number_show(verb, exit_code);
  add_number_create(verb, exit_code);
  add_number_change(verb, exit_code);
  add_number_delete(verb, exit_code);
}

}  // namespace patchbay::app
