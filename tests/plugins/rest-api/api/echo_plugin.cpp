#include "echo_plugin.h"

#include <patchbay/plugin.h>
#include <patchbay/services/http_file.h>
#include <patchbay/services/http_routes.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <functional>
#include <mutex>
#include <optional>

#include "support/linked_plugin.h"

using namespace patchbay;

namespace rest_api_test {
namespace {

std::mutex mutex;
std::condition_variable arrived;
std::optional<Reply<http::Response>> waiting;  // guarded by mutex
std::function<void()> withdraw;                // guarded by mutex
constexpr int kWorkers = 16;                   // the maximum of a server
std::function<void()> hold_worker;             // guarded by mutex, as are the next two
int held_workers = 0;
bool holds_workers = false;
int hanging = 0;  // guarded by mutex, as is the next one
uint64_t hang_releases = 0;

http::Route route(const char* method, const char* path, const char* role = "admin") {
  http::Route made;
  made.method = method;
  made.path = path;
  made.role = role;
  made.area = "test";
  made.summary = "A route of the test";
  return made;
}

void write(JsonWriter& out, const char* name, const NameValues& values) {
  out.key(name).object();
  for (const auto& [key, value] : values) out.member(key, value);
  out.end();
}

// Writes a flat object.
void write(JsonWriter& out, JsonView json) {
  if (!json) return void(out.null());
  out.object();
  for (size_t i = 0; i < json.size(); ++i) {
    out.key(json.key(i));
    if (const JsonView value = json.at(i); value.is_string())
      out.value(value.text());
    else
      out.value(value.integer());
  }
  out.end();
}

std::string echo_text(const http::Request& request) {
  JsonWriter out;
  out.object().member("method", request.method).member("path", request.path);
  write(out, "params", request.params);
  write(out, "query", request.query);
  write(out, "headers", request.headers);
  out.key("json");
  write(out, request.json());
  out.member("body", request.body.size() < 1000 ? request.body.view() : "...");
  out.member("size", request.body.size()).member("remote", request.remote).member("host", request.host);
  out.member("listener", request.listener)
      .member("tenant", request.tenant)
      .member("subject", request.subject);
  out.member("username", request.username).member("role", request.role);
  out.member("is_super", request.is_super).member("is_key", request.is_key);
  out.member("limit", request.limit).member("offset", request.offset);
  out.member("correlation", request.correlation).member("is_head", request.is_head).end();
  return std::move(out).str();
}

Result<http::Response> echo(const http::Request& request) { return http::ok(echo_text(request)); }

constexpr char kBody[] = R"({"type": "object", "required": ["phone"], "properties": {
  "phone": {"type": "string", "minLength": 3},
  "retries": {"type": "integer", "minimum": 0, "maximum": 10, "default": 0, "x-snap": false},
  "one": {"type": "integer"}, "two": {"type": "integer"}, "three": {"type": "integer"}, "four": {"type": "integer"},
  "five": {"type": "integer"}, "six": {"type": "integer"}, "seven": {"type": "integer"}, "eight": {"type": "integer"},
  "nine": {"type": "integer"}, "ten": {"type": "integer"}}})";
constexpr char kQuery[] = R"({"type": "object", "properties": {
  "count": {"type": "integer", "minimum": 1}, "deep": {"type": "boolean"}, "q": {"type": "string", "maxLength": 5}}})";
constexpr char kExample[] = R"({"request": {"phone": "+49"}, "reply": {"phone": "+49"}})";

class EchoPlugin final : public Plugin {
 public:
  static constexpr char manifest[] =
      R"({"id": "echo-plugin", "version": "0.1.0", "summary": "Routes", "license": "Apache-2.0",
          "optional": ["patchbay.http/1"], "config": {"plugin": {"type": "object", "properties": {}}}})";
  static constexpr char store_sql[] = "";

  Status start(const Config&) override {
    routes_ = std::make_unique<http::Routes>(host());
    add_checked();
    add_roles();
    add_failing();
    add_lists();
    add_odd();
    // Last, so that all others are there once a test sees it.
    routes_->add(route("GET", "/t/last", "none"), echo);
    routes_->open();
    return {};
  }
  Status check_config(const Config&) override { return {}; }
  void stop(Done done) override {
    {
      const std::lock_guard lock(mutex);
      waiting.reset();
      withdraw = nullptr;
      hold_worker = nullptr;
    }
    short_lived_.reset();
    unanswered_.reset();
    http_.reset();
    routes_.reset();
    done();
  }

 private:
  void add_checked() {
    http::Route checked = route("POST", "/t/checked");
    checked.request_schema = kBody;
    checked.query_schema = kQuery;
    checked.example = kExample;
    checked.reply_schema = R"({"type": "object"})";
    routes_->add(checked, echo);
    checked.path = "/t/messages";
    checked.message_errors = true;
    routes_->add(checked, echo);
    routes_->add(route("PUT", "/t/items/{id}"), echo);
    routes_->add(route("GET", "/t/items/{id}"), echo);
    routes_->add(route("POST", "/t/raw"), echo);
    http::Route sized = route("POST", "/t/large");
    sized.max_body_bytes = 1024 * 1024;
    routes_->add(sized, echo);
    sized.path = "/t/small";
    sized.max_body_bytes = 1000;
    routes_->add(sized, echo);
  }
  void add_roles() {
    routes_->add(route("GET", "/t/open", "none"), echo);
    routes_->add(route("GET", "/t/secret/{token}", "none"), echo);
    routes_->add(route("GET", "/t/user", "user"), echo);
    routes_->add(route("GET", "/t/admin", "admin"), echo);
    routes_->add(route("GET", "/t/super", "super"), echo);
    http::Route no_keys = route("GET", "/t/no-keys");
    no_keys.oidc_only = true;
    routes_->add(no_keys, echo);
    for (const char* verb : {"one", "two"}) {
      http::Route choice = route("GET", "/t/choice", "none");
      choice.discriminator = std::string("verb=") + verb;
      routes_->add(choice, [verb](const http::Request&) -> Result<http::Response> {
        return http::ok(std::string("{\"verb\":\"") + verb + "\"}");
      });
    }
    http::Route by_query = route("DELETE", "/t/open");
    by_query.discriminator = "match=";
    routes_->add(by_query, echo);
    http::Route local = route("GET", "/t/local");
    local.listener = "local";
    routes_->add(local, echo);
    http::Route management = route("GET", "/t/management", "none");
    management.listener = "management";
    routes_->add(management, echo);
    http::Route hidden = route("GET", "/t/hidden", "none");
    hidden.catalogue = false;
    routes_->add(hidden, echo);
  }
  void add_failing() {
    routes_->add(route("GET", "/t/fails", "none"), [](const http::Request&) -> Result<http::Response> {
      return {Code::failed, "the disk at /secret/place is full"};
    });
    routes_->add(route("GET", "/t/unavailable", "none"), [](const http::Request&) -> Result<http::Response> {
      return {Code::unavailable, "later"};
    });
    routes_->add(route("GET", "/t/exhausted", "none"), [](const http::Request&) -> Result<http::Response> {
      return {Code::exhausted, "the queue of the writer is full"};
    });
    routes_->add(route("GET", "/t/timeout", "none"), [](const http::Request&) -> Result<http::Response> {
      return {Code::timeout, "the writer did not answer in 5 s"};
    });
    routes_->add(route("GET", "/t/throws", "none"), [](const http::Request&) -> Result<http::Response> {
      throw std::runtime_error("a secret");
    });
    routes_->add(route("GET", "/t/drops", "none"), [](const http::Request&, Reply<http::Response>) {});
    for (const char* method : {"GET", "POST"})
      routes_->add(route(method, "/t/wait", "none"), [](const http::Request&, Reply<http::Response> reply) {
        const std::lock_guard lock(mutex);
        waiting.emplace(std::move(reply));
        arrived.notify_all();
      });
    http::Route hang = route("GET", "/t/hang", "none");
    hang.catalogue = false;
    routes_->add(hang, [](const http::Request&) {
      std::unique_lock lock(mutex);
      ++hanging;
      arrived.notify_all();
      arrived.wait(lock, [before = hang_releases] { return hang_releases != before; });
      --hanging;
      return http::ok(R"({"hung":true})");
    });
    routes_->add(route("GET", "/t/teapot", "none"), [](const http::Request&) -> Result<http::Response> {
      auto response = http::error(409, "teapot", "short and stout");
      response.headers = {{"X-Spout", "left"}, {"Set-Cookie", "a=1"}, {"Set-Cookie", "b=2"}};
      return response;
    });
    routes_->add(route("GET", "/t/picture", "none"), [](const http::Request&) -> Result<http::Response> {
      http::Response response;
      response.content_type = "image/png";
      response.bytes = Buffer::copy(std::string_view("\x89PNG\0\xff", 6));
      return response;
    });
    const std::string file = std::string(from_abi(host().store->data_folder(host().self))) + "/page.html";
    std::ofstream(file) << "<p>a page</p>";
    routes_->add(route("GET", "/t/file", "none"),
                 [this, file](const http::Request&, Reply<http::Response> reply) {
                   (void)post_worker(host(), [file, reply = std::move(reply)]() mutable {
                     reply(http::file(file, "text/html; charset=utf-8"));
                   });
                 });
    routes_->add(route("GET", "/t/bad-headers", "none"), [](const http::Request&) -> Result<http::Response> {
      auto response = http::ok("{}");
      response.headers.add("no token", "x");
      return response;
    });
    routes_->add(route("GET", "/t/split-header", "none"), [](const http::Request&) -> Result<http::Response> {
      auto response = http::ok("{}");
      response.headers.add("X-Note", "a\r\nSet-Cookie: b=1");
      return response;
    });
    routes_->add(route("GET", "/t/odd-status", "none"), [](const http::Request&) -> Result<http::Response> {
      auto response = http::ok("{}");
      response.status = 99;
      return response;
    });
    short_lived_.emplace(host());
    short_lived_->on(http::Handler::handle, [this](const http::Request&, Reply<http::Response> reply) {
      unanswered_.emplace(std::move(reply));
      post(host(), kMainStrand, [this] { short_lived_.reset(); });
    });
    {
      const std::lock_guard lock(mutex);
      hold_worker = [this] {
        (void)post_worker(host(), [] {
          std::unique_lock held(mutex);
          ++held_workers;
          arrived.notify_all();
          arrived.wait(held, [] { return !holds_workers; });
          --held_workers;
          arrived.notify_all();
        });
      };
      withdraw = [this] { post(host(), kMainStrand, [this] { short_lived_.reset(); }); };
    }
    http::Route short_lived = route("GET", "/t/short-lived", "none");
    short_lived.handler = short_lived_->handle();
    http_.emplace(host());
    http_->on_change([this, short_lived](bool up) {
      if (up) http_->send(http::Http::add_route, short_lived);
    });
  }
  void add_lists() {
    http::Route list = route("GET", "/t/list", "none");
    list.list = true;
    list.query_schema = kQuery;
    list.reply_schema = R"({"type": "object", "properties": {"n": {"type": "integer"}}})";
    list.documents = R"({"siblings": {"tenant": {"type": "string"}}})";
    routes_->add(list, [](const http::Request& request) -> Result<http::Response> {
      JsonWriter out;
      out.object().key("data").array();
      for (int64_t n = request.offset; n < std::min<int64_t>(request.offset + request.limit, 1200); ++n)
        out.object().member("n", n).end();
      out.end().member("tenant", "sibling").end();
      auto response = http::ok(std::move(out).str());
      response.total = 1200;
      return response;
    });
    http::Route array = route("GET", "/t/array", "none");
    array.list = true;
    array.catalogue = false;
    array.query_schema =
        R"({"type": "object", "properties": {"counted": {"type": "boolean", "default": true}}})";
    routes_->add(array, [](const http::Request& request) -> Result<http::Response> {
      JsonWriter out;
      out.array();
      for (int64_t n = request.offset; n < std::min<int64_t>(request.offset + request.limit, 1200); ++n)
        out.object().member("n", n).member("text", std::string(100, 'x')).end();
      http::Response response;
      response.bytes = Buffer::copy(out.end().str());
      if (request.query.boolean("counted")) response.total = 1200;
      return response;
    });
    http::Route cursors = route("GET", "/t/cursors", "none");  // numbers from the cursor on, up to 9
    cursors.list = true;
    cursors.catalogue = false;
    cursors.query_schema = R"({"type": "object", "properties": {"cursor": {"type": "string"}}})";
    routes_->add(cursors, [](const http::Request& request) -> Result<http::Response> {
      const std::string_view cursor = request.query.text("cursor");
      const int64_t first = cursor.empty() ? request.offset : std::stoll(std::string(cursor.substr(2)));
      JsonWriter out;
      out.array();
      for (int64_t n = first; n < std::min<int64_t>(first + request.limit, 10); ++n) out.value(n);
      http::Response response;
      response.bytes = Buffer::copy(out.end().str());
      response.total = 10;
      if (first + request.limit < 10) response.next_cursor = "at" + std::to_string(first + request.limit);
      return response;
    });
    http::Route thread = route("GET", "/t/thread", "none");
    thread.catalogue = false;
    routes_->add(thread, [](const http::Request&) { return http::ok(std::to_string(::gettid())); });
  }
  // Adds routes that are refused.
  void add_odd() {
    routes_->add(route("GET", "/t/open", "none"), echo);
    routes_->add(route("GET", "/t/odd-role", "king"), echo);
    routes_->add(route("GET", "/t/any/*", "none"), echo);
    routes_->add(route("FETCH", "/t/odd-method", "none"), echo);
    routes_->add(route("GET", "/t/items/{name}", "none"), echo);
    http::Route elsewhere = route("GET", "/t/open", "none");
    elsewhere.listener = "management";
    routes_->add(elsewhere, echo);
    http::Route odd_size = route("POST", "/t/odd-size", "none");
    odd_size.max_body_bytes = -1;
    routes_->add(odd_size, echo);
    http::Route odd = route("POST", "/t/odd-schema", "none");
    odd.request_schema = R"({"type": "objekt"})";
    routes_->add(odd, echo);
  }

  std::unique_ptr<http::Routes> routes_;
  std::optional<Service<http::Http>> http_;
  std::optional<Provision<http::Handler>> short_lived_;
  std::optional<Reply<http::Response>> unanswered_;
};

}  // namespace

const pb_entry* echo_plugin() { return &test::LinkedPlugin<EchoPlugin>::entry; }

void withdraw_short_lived() {
  const std::lock_guard lock(mutex);
  if (withdraw) withdraw();
}

HeldWorkers::HeldWorkers() {
  std::unique_lock lock(mutex);
  holds_workers = true;
  for (int i = 0; i < kWorkers; ++i) {
    const auto hold = hold_worker;
    lock.unlock();
    hold();
    lock.lock();
  }
  arrived.wait_for(lock, std::chrono::seconds(60), [] { return held_workers == kWorkers; });
}

HeldWorkers::~HeldWorkers() {
  std::unique_lock lock(mutex);
  holds_workers = false;
  arrived.notify_all();
  arrived.wait_for(lock, std::chrono::seconds(60), [] { return held_workers == 0; });
}

void wait_until_asked() {
  std::unique_lock lock(mutex);
  arrived.wait_for(lock, std::chrono::seconds(60), [] { return waiting.has_value(); });
}

void wait_until_hanging() {
  std::unique_lock lock(mutex);
  arrived.wait_for(lock, std::chrono::seconds(60), [] { return hanging > 0; });
}

void release_hanging() {
  const std::lock_guard lock(mutex);
  ++hang_releases;
  arrived.notify_all();
}

void release_waiting() {
  std::optional<Reply<http::Response>> reply;
  {
    const std::lock_guard lock(mutex);
    reply.swap(waiting);
  }
  if (reply) (*reply)(http::ok(R"({"waited":true})"));
}

}  // namespace rest_api_test
