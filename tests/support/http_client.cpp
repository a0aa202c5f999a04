#include "support/http_client.h"

#include <curl/curl.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

#include "support/test_server.h"

namespace patchbay::test {
namespace {

size_t take_body(char* bytes, size_t, size_t count, void* to) {
  static_cast<std::string*>(to)->append(bytes, count);
  return count;
}

size_t take_header(char* bytes, size_t, size_t count, void* to) {
  std::string line(bytes, count);
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.pop_back();
  const auto colon = line.find(':');
  if (colon == std::string::npos) return count;
  std::string name = line.substr(0, colon);
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  const auto value = line.find_first_not_of(' ', colon + 1);
  (*static_cast<std::map<std::string, std::string>*>(to))[name] =
      value == std::string::npos ? std::string() : line.substr(value);
  return count;
}

using Easy = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
using List = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

void describe(CURL* curl, const std::string& method, const std::string& body) {
  if (method == "HEAD") {
    curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
    return;
  }
  if (!body.empty() || method == "POST" || method == "PUT") {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.data());
  }
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method.c_str());
}

// A member of the one JSON object this plugin writes; its strings hold no escapes.
std::string text_member(const std::string& json, const std::string& name) {
  const std::string start = "\"" + name + "\":\"";
  const auto at = json.find(start);
  if (at == std::string::npos) return {};
  const auto from = at + start.size();
  return json.substr(from, json.find('"', from) - from);
}

}  // namespace

HttpClient HttpClient::of(const TestServer& server, const std::string& which) {
  std::ostringstream json;
  json << std::ifstream(server.data() / "listening.json").rdbuf();
  const std::string address = text_member(json.str(), which);
  if (which == "admin") return HttpClient("http://localhost", address);
  return HttpClient("http://" + address);
}

HttpAnswer HttpClient::ask(const std::string& method, const std::string& target, const std::string& body,
                           const Headers& headers) const {
  const Easy curl(curl_easy_init(), &curl_easy_cleanup);
  curl_slist* lines = curl_slist_append(nullptr, "Expect:");
  for (const auto& header : headers) lines = curl_slist_append(lines, header.c_str());
  const List list(lines, &curl_slist_free_all);
  HttpAnswer answer;
  curl_easy_setopt(curl.get(), CURLOPT_URL, (base_url_ + target).c_str());
  curl_easy_setopt(curl.get(), CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_PROXY, "");
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT, 60L);
  curl_easy_setopt(curl.get(), CURLOPT_SSL_VERIFYPEER, 0L);
  curl_easy_setopt(curl.get(), CURLOPT_SSL_VERIFYHOST, 0L);
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, list.get());
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, &take_body);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &answer.body);
  curl_easy_setopt(curl.get(), CURLOPT_HEADERFUNCTION, &take_header);
  curl_easy_setopt(curl.get(), CURLOPT_HEADERDATA, &answer.headers);
  if (!unix_socket_.empty()) curl_easy_setopt(curl.get(), CURLOPT_UNIX_SOCKET_PATH, unix_socket_.c_str());
  describe(curl.get(), method, body);
  const CURLcode code = curl_easy_perform(curl.get());
  if (code != CURLE_OK) answer.error = curl_easy_strerror(code);
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &answer.status);
  return answer;
}

bool HttpClient::wait_for(const std::string& method, const std::string& target) const {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < deadline) {
    const auto answer = ask("OPTIONS", target);
    const auto allow = answer.headers.find("allow");
    if (allow != answer.headers.end() && allow->second.find(method) != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace patchbay::test
