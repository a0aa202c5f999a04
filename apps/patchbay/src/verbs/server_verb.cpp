#include "verbs/server_verb.h"

#include <cstdio>
#include <string_view>

#include "exit_code.h"
#include "json/parse.h"

namespace patchbay::app {

void add_server_options(Verb verb, ServerOptions& options) {
  verb.add_option("-c,--config", options.config_file, "The server's configuration").type_name("FILE");
  verb.add_option("--socket", options.socket, "The server's admin socket, instead of what -c says")
      .type_name("PATH");
  verb.add_option("--tenant", options.tenant, "The tenant to work on; by default the primary one")
      .type_name("HOST");
  verb.add_flag("--json", options.json, "Print the server's answer as JSON");
}

int report(const Error& error) {
  std::fprintf(stderr, "patchbay: %s\n", error.text.c_str());
  return error.code == Code::unavailable ? kUnreachable : kConfiguration;
}

int report_refusal(const AdminClient::Answer& answer) {
  const auto document = core::json::parse(answer.body);
  std::string_view code, text;
  if (document) {
    const auto member = [&](const char* name) {
      const core::json::Node* node = document->root().find(name);
      return node != nullptr ? node->string() : std::string_view();
    };
    code = member("error");
    text = member("error_description");
  }
  std::fprintf(stderr, "patchbay: the server refused (%ld %.*s)%s%.*s\n", answer.status,
               static_cast<int>(code.size()), code.data(), text.empty() ? "" : ": ",
               static_cast<int>(text.size()), text.data());
  return kRefused;
}

int exchange(const ServerOptions& options, const char* method, const std::string& path,
             const AdminClient::Query& query, const std::string& body,
             void (*show)(const core::json::Node&)) {
  auto client = AdminClient::connect(options);
  if (!client) return report(client.error());
  const auto answer = client->request(method, path, query, body);
  if (!answer) return report(answer.error());
  if (options.json) std::printf("%s\n", answer->body.c_str());
  if (!answer->ok()) return report_refusal(*answer);
  if (options.json) return kDone;
  const auto document = core::json::parse(answer->body, {AdminClient::kMaxAnswerBytes, 32});
  if (!document) return report({Code::unavailable, "the answer is not JSON: " + document.error().text});
  show(document->root());
  return kDone;
}

}  // namespace patchbay::app
