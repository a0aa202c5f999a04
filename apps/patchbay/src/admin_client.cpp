#include "admin_client.h"

#include <curl/curl.h>
#include <patchbay/percent_encoding.h>

namespace patchbay::app {
namespace {

constexpr long kConnectTimeoutMs = 5000;
constexpr long kAnswerTimeoutMs = 60000;

struct FreeCurl {
  void operator()(CURL* curl) const noexcept { curl_easy_cleanup(curl); }
};
struct FreeList {
  void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
};

size_t take(char* data, size_t size, size_t count, void* into) {
  auto& body = *static_cast<std::string*>(into);
  if (body.size() + size * count > AdminClient::kMaxAnswerBytes) return 0;
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
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, kConnectTimeoutMs);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, kAnswerTimeoutMs);
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

}  // namespace patchbay::app
