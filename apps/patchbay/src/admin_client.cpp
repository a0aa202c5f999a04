#include "admin_client.h"

#include <patchbay/percent_encoding.h>

#include "curl/curl_functions.h"

namespace patchbay::app {
namespace {

constexpr long kConnectTimeoutMs = 5000;
constexpr long kAnswerTimeoutMs = 60000;
constexpr long kSilenceTimeoutSec = 60;

size_t take(char* data, size_t size, size_t count, void* into) {
  auto& body = *static_cast<std::string*>(into);
  if (body.size() + size * count > AdminClient::kMaxAnswerBytes) return 0;
  body.append(data, size * count);
  return size * count;
}

// A stream that is being read.
struct Following {
  const lib::CurlFunctions& curl;
  CURL* easy;
  std::string& refusal;
  const std::function<bool(std::string_view)>& take;
  bool is_stopped;
};

size_t take_events(char* data, size_t size, size_t count, void* into) {
  auto& following = *static_cast<Following*>(into);
  long status = 0;
  following.curl.easy_getinfo(following.easy, CURLINFO_RESPONSE_CODE, &status);
  if (status != 200) return take(data, size, count, &following.refusal);
  following.is_stopped = !following.take({data, size * count});
  return following.is_stopped ? 0 : size * count;
}

}  // namespace

struct AdminClient::Handle {
  explicit Handle(const lib::CurlFunctions& functions)
      : curl(functions),
        easy(curl.easy_init(), curl.easy_cleanup),
        headers(curl.slist_append(curl.slist_append(nullptr, "Content-Type: application/json"), "Expect:"),
                curl.slist_free_all) {}

  const lib::CurlFunctions& curl;
  std::unique_ptr<CURL, decltype(lib::CurlFunctions::easy_cleanup)> easy;
  std::unique_ptr<curl_slist, decltype(lib::CurlFunctions::slist_free_all)> headers;
};

AdminClient::AdminClient(ServerAddress address, std::unique_ptr<Handle> handle)
    : address_(std::move(address)), handle_(std::move(handle)) {}
AdminClient::AdminClient(AdminClient&&) noexcept = default;
AdminClient& AdminClient::operator=(AdminClient&&) noexcept = default;
AdminClient::~AdminClient() = default;

Result<AdminClient> AdminClient::connect(const ServerOptions& options) {
  PB_TRY_VALUE(ServerAddress address, find_server(options));
  PB_TRY_VALUE(const lib::CurlFunctions* curl, lib::load_curl());
  auto handle = std::make_unique<Handle>(*curl);
  if (!handle->easy) return {Code::failed, "libcurl cannot be used"};
  return AdminClient(std::move(address), std::move(handle));
}

std::string AdminClient::url_of(std::string_view path, const Query& query) const {
  std::string url = "http://localhost" + std::string(path);
  char separator = '?';
  const auto add = [&](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    url += separator + percent_encode(name) + "=" + percent_encode(value);
    separator = '&';
  };
  for (const auto& [name, value] : query) add(name, value);
  add("tenant", address_.tenant);
  return url;
}

AdminClient::Handle& AdminClient::prepare(const std::string& url) const {
  const lib::CurlFunctions& curl = handle_->curl;
  CURL* easy = handle_->easy.get();
  curl.easy_reset(easy);
  curl.easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, address_.socket.c_str());
  curl.easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl.easy_setopt(easy, CURLOPT_PROXY, "");
  curl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, kConnectTimeoutMs);
  return *handle_;
}

Error AdminClient::no_answer(int curl_code) const {
  return {Code::unavailable, "no server answers at " + address_.socket + " (" +
                                 handle_->curl.easy_strerror(static_cast<CURLcode>(curl_code)) +
                                 "): start it with `patchbay serve`, or name its socket with --socket"};
}

Result<AdminClient::Answer> AdminClient::request(const char* method, std::string_view path,
                                                 const Query& query, const std::string& body) {
  const std::string url = url_of(path, query);
  const Handle& handle = prepare(url);
  const lib::CurlFunctions& curl = handle.curl;
  CURL* easy = handle.easy.get();
  Answer answer;
  curl.easy_setopt(easy, CURLOPT_TIMEOUT_MS, kAnswerTimeoutMs);
  curl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, &take);
  curl.easy_setopt(easy, CURLOPT_WRITEDATA, &answer.body);
  if (std::string_view(method) != "GET") {
    curl.easy_setopt(easy, CURLOPT_HTTPHEADER, handle.headers.get());
    curl.easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl.easy_setopt(easy, CURLOPT_POSTFIELDS, body.c_str());
    curl.easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
  }
  if (const CURLcode code = curl.easy_perform(easy); code != CURLE_OK) return no_answer(code);
  curl.easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &answer.status);
  return answer;
}

Result<AdminClient::Answer> AdminClient::follow(std::string_view path, const Query& query,
                                                const std::string& last_id,
                                                const std::function<bool(std::string_view)>& take) {
  const std::string url = url_of(path, query);
  const Handle& handle = prepare(url);
  const lib::CurlFunctions& curl = handle.curl;
  CURL* easy = handle.easy.get();
  Answer answer;
  Following following{curl, easy, answer.body, take, false};
  std::unique_ptr<curl_slist, decltype(lib::CurlFunctions::slist_free_all)> headers(
      curl.slist_append(nullptr, "Accept: text/event-stream"), curl.slist_free_all);
  if (!last_id.empty()) curl.slist_append(headers.get(), ("Last-Event-ID: " + last_id).c_str());
  curl.easy_setopt(easy, CURLOPT_HTTPHEADER, headers.get());
  // The server sends a comment every 15 s.
  curl.easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl.easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, kSilenceTimeoutSec);
  curl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, &take_events);
  curl.easy_setopt(easy, CURLOPT_WRITEDATA, &following);
  const CURLcode code = curl.easy_perform(easy);
  if (code != CURLE_OK && !following.is_stopped) return no_answer(code);
  curl.easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &answer.status);
  return answer;
}

}  // namespace patchbay::app
