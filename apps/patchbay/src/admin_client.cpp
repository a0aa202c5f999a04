#include "admin_client.h"

#include <curl/curl.h>
#include <patchbay/percent_encoding.h>

#include <CLI/App.hpp>
#include <cstdio>

#include "exit_code.h"
#include "json/parse.h"

namespace patchbay::app {
namespace {

constexpr size_t kMaxAnswerBytes = 16 << 20;
constexpr long kConnectMs = 5000;
constexpr long kAnswerMs = 60000;

struct FreeCurl {
  void operator()(CURL* curl) const noexcept { curl_easy_cleanup(curl); }
};
struct FreeList {
  void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
};

size_t take(char* data, size_t size, size_t count, void* into) {
  auto& body = *static_cast<std::string*>(into);
  if (body.size() + size * count > kMaxAnswerBytes) return 0;
  body.append(data, size * count);
  return size * count;
}

}  // namespace

struct AdminClient::Handle {
  std::unique_ptr<CURL, FreeCurl> curl{curl_easy_init()};
  std::unique_ptr<curl_slist, FreeList> headers{
      curl_slist_append(curl_slist_append(nullptr, "Content-Type: application/json"), "Expect:")};
};

AdminClient::AdminClient(ServerAddress address)
    : address_(std::move(address)), handle_(std::make_unique<Handle>()) {}
AdminClient::AdminClient(AdminClient&&) noexcept = default;
AdminClient& AdminClient::operator=(AdminClient&&) noexcept = default;
AdminClient::~AdminClient() = default;

Result<AdminClient> AdminClient::connect(const ServerOptions& options) {
  PB_TRY_VALUE(ServerAddress address, find_server(options));
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  AdminClient client(std::move(address));
  if (ready != CURLE_OK || !client.handle_->curl) return {Code::failed, "libcurl cannot be used"};
  return client;
}

Result<AdminClient::Answer> AdminClient::request(const char* method, std::string_view path,
                                                 const Query& query, const std::string& body) {
  std::string url = "http://localhost" + std::string(path);
  char separator = '?';
  const auto add = [&](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    url += separator + percent_encode(name) + "=" + percent_encode(value);
    separator = '&';
  };
  for (const auto& [name, value] : query) add(name, value);
  add("tenant", address_.tenant);

  CURL* curl = handle_->curl.get();
  Answer answer;
  curl_easy_reset(curl);
  curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, address_.socket.c_str());
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, kAnswerMs);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &take);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer.body);
  if (std::string_view(method) != "GET") {
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, handle_->headers.get());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.c_str());
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
  }
  if (const CURLcode code = curl_easy_perform(curl); code != CURLE_OK) {
    return {Code::unavailable, "no server answers at " + address_.socket + " (" + curl_easy_strerror(code) +
                                   "): start it with `patchbay serve`, or name its socket with --socket"};
  }
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer.status);
  return answer;
}

void add_server_options(CLI::App& verb, ServerOptions& options) {
  verb.add_option("-c,--config", options.config_file, "The server's configuration")->type_name("FILE");
  verb.add_option("--socket", options.socket, "The server's admin socket, instead of what -c says")
      ->type_name("PATH");
  verb.add_option("--tenant", options.tenant, "The tenant to work on; by default the primary one")
      ->type_name("HOST");
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
  const auto document = core::json::parse(answer->body, {kMaxAnswerBytes, 32});
  if (!document) return report({Code::unavailable, "the answer is not JSON: " + document.error().text});
  show(document->root());
  return kDone;
}

}  // namespace patchbay::app
