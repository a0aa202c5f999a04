// Compares answers with /openapi.json: every documented success, after a real call with a real webhook.
#include <doctest/doctest.h>
#include <patchbay/utc.h>

#include <chrono>
#include <set>
#include <string>
#include <thread>

#include "call_server.h"
#include "json/parse.h"
#include "support/http_client.h"
#include "support/json_without_host.h"
#include "support/openapi_check.h"
#include "support/smtp_server.h"
#include "support/webhook_receiver.h"

using namespace patchbay;
using namespace patchbay::test;

namespace {

constexpr char kRoot[] = "/api.ashx/v1";
constexpr char kHost[] = "Host: acme.example";

std::string yaml(uint16_t trunk_port, uint16_t mail_port) {
  return R"(plugins:
  rest-api: {listen: "127.0.0.1:0"}
  identity: {issuer: "http://acme.example"}
  media: {}
  whitelist: {}
  numbers: {}
  webhooks: {}
  transcripts: {}
  ai-voice: {}
  engine-local: {}
  sip-trunk: {listenPort: 0}
tenants:
  acme.example:
    primary: true
    identity: {users: [{username: alice, role: admin, password: alice}]}
    WebPhone: {AdminSharedSecret: "0123456789abcdef01234567"}
    webhooks: {allowPrivateReceivers: true}
    ai-voice: {email: ops@example.com}
    transcripts: {mail: {host: 127.0.0.1, security: none, from: calls@acme.example, port: )" +
         std::to_string(mail_port) + R"(}}
    sip-trunk:
      defaultTrunkId: main
      trunks: [{id: main, host: 127.0.0.1, port: )" +
         std::to_string(trunk_port) + "}]\n";
}

// Sends requests to the endpoints, and compares each success with /openapi.json.
class Client {
 public:
  explicit Client(const TestServer& server) : http_(HttpClient::of(server)) {
    REQUIRE(http_.wait_for("POST", std::string(kRoot) + "/calls"));
    REQUIRE(http_.wait_for("GET", std::string(kRoot) + "/transcripts"));
    auto api = OpenApi::parse(http_.get("/openapi.json").body);
    REQUIRE(api);
    api_ = *std::move(api);
    const Json tokens =
        sign_in("grant_type=password&username=alice&password=alice&scope=openid%20offline_access");
    bearer_ = "Authorization: Bearer " + std::string(tokens["access_token"].text());
    sign_in("grant_type=refresh_token&refresh_token=" + std::string(tokens["refresh_token"].text()));
  }

  // `path` as documented; `target` is the request's, by default the same.
  Json ask(const std::string& method, const std::string& path, const std::string& body = "",
           const std::string& target = "") {
    return checked(method, path,
                   http_.ask(method, target.empty() ? path : target, body,
                             {kHost, bearer_, "Accept: application/json"}));
  }
  // Asks until `done` says so of the answer.
  template <class Done>
  Json ask_until(const std::string& path, const std::string& target, Done done) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (true) {
      Json answer = ask("GET", path, "", target);
      if (done(answer) || std::chrono::steady_clock::now() > deadline) return answer;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
  // Without a bearer and unchecked.
  HttpAnswer raw(const std::string& method, const std::string& target,
                 const HttpClient::Headers& headers) const {
    return http_.ask(method, target, "", headers);
  }
  std::vector<std::string> unseen(const std::vector<std::string>& paths) const { return api_.unseen(paths); }

 private:
  Json sign_in(const std::string& form) {
    return checked("POST", "/oidc.ashx/token",
                   http_.post("/oidc.ashx/token", form + "&client_id=patchbay-admin", {kHost}));
  }
  Json checked(const std::string& method, const std::string& path, const HttpAnswer& answer) {
    INFO(method, " ", path, ": ", answer.status, " ", answer.body);
    CHECK(answer.status / 100 == 2);
    for (const std::string& fault : api_.faults(method, path, answer.status, answer.body)) FAIL_CHECK(fault);
    auto body = json_without_host(answer.body);
    return body ? *std::move(body) : Json();
  }

  HttpClient http_;
  OpenApi api_;
  std::string bearer_;
};

std::string text_of(const Json& json, const char* name) { return std::string(json.root().text(name, "")); }

void calls_and_transcripts(Client& client) {
  const std::string calls = std::string(kRoot) + "/calls", transcripts = std::string(kRoot) + "/transcripts";
  const std::string body =
      R"({"phone":"+4930123456","displayName":"Dentist","systemPrompt":"Be brief.","retries":1)";
  const std::string id = text_of(client.ask("POST", calls, body + "}"), "callId");
  const auto ended = [](const Json& call) { return text_of(call, "status").rfind("ended-", 0) == 0; };
  const Json call = client.ask_until(calls + "/{id}", calls + "/" + id, ended);
  CHECK(text_of(call, "status") == "ended-success");
  const int64_t tomorrow_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(
          std::chrono::system_clock::now().time_since_epoch() + std::chrono::hours(24))
          .count();
  const std::string later =
      text_of(client.ask("POST", calls, body + R"(,"scheduleAtUtc":")" + utc_text(tomorrow_ms) + "\"}", ""),
              "callId");
  client.ask("GET", calls + "/{id}", "", calls + "/" + later);
  client.ask("POST", calls + "/{id}/hangup", "", calls + "/" + later + "/hangup");
  client.ask("POST", calls + "/{id}/hangup", "", calls + "/" + id + "/hangup");
  client.ask("GET", calls + "/{id}/ladder", "", calls + "/" + id + "/ladder");
  CHECK(client.ask("GET", calls, "", calls + "?limit=1")["data"].size() == 1);
  CHECK(client.ask("GET", transcripts)["data"].size() == 1);
  client.ask("GET", transcripts + "/{callId}", "", transcripts + "/" + id);
}

void subscribe_to_all(Client& client, const WebhookReceiver& receiver) {
  client.ask("POST", std::string(kRoot) + "/admin/webhooks", R"({"url":")" + receiver.url() + "\"}");
}

// What came by webhook fits the schemas in the manifests; a call's four events were among it.
void check_events(const Core& core, const WebhookReceiver& receiver) {
  const auto events = core::json::parse(core.report("events"));
  REQUIRE(events);
  std::set<std::string> seen;
  for (const WebhookDelivery& delivery : receiver.wait_for(5, std::chrono::seconds(60))) {
    INFO(delivery.body);
    const auto body = core::json::parse(delivery.body);
    REQUIRE(body);
    const std::string topic(body->root().find("event")->string());
    seen.insert(topic);
    for (uint32_t i = 0; i < events->root().size(); ++i) {
      const core::json::Node& event = *events->root().element(i);
      if (event.find("topic")->string() != topic) continue;
      for (const std::string& fault :
           schema_faults(*event.find("schema"), *body->root().find("data"), events->root()))
        FAIL_CHECK(fault);
    }
  }
  for (const char* topic : {"call.answered", "call.started", "outbound-ai.finished", "transcript.saved"})
    CHECK_MESSAGE(seen.erase(topic) == 1, topic);
  CHECK(seen.empty());
}

void webhooks(Client& client, const WebhookReceiver& receiver) {
  const std::string list = std::string(kRoot) + "/webhooks", admin = std::string(kRoot) + "/admin/webhooks";
  const std::string id = text_of(
      client.ask("POST", admin, R"({"url":")" + receiver.url() + R"(","events":["webhook.test"]})"), "id");
  const std::string path = admin + "/{id}", target = admin + "/" + id;
  client.ask("GET", list);
  client.ask("GET", admin);
  client.ask("GET", path, "", target);
  client.ask("PATCH", path, R"({"active":true})", target);
  client.ask("POST", path + "/rotate", "", target + "/rotate");
  client.ask("POST", path + "/test", "", target + "/test");
  const Json deliveries =
      client.ask_until(path + "/deliveries", target + "/deliveries",
                       [](const Json& page) { return !page["data"].at(0)["endedUtc"].text().empty(); });
  const std::string delivery(deliveries["data"].at(0).text("deliveryId", ""));
  client.ask("POST", path + "/deliveries/{deliveryId}/resend", "",
             target + "/deliveries/" + delivery + "/resend");
  client.ask("GET", list);
  client.ask("DELETE", path, "", target);
  const std::string events = std::string(kRoot) + "/events";
  CHECK(client.ask("GET", events, "", events + "?limit=4")["data"].size() == 4);
}

void whitelist(Client& client) {
  const std::string path = "/signal.ashx";
  client.ask("POST", path, R"({"number":"+4930123457","comment":null})", path + "?whitelist=add");
  client.ask("POST", path, R"({"numbers":[{"number":"+4930123456","comment":"Office"}]})",
             path + "?whitelist=write");
  CHECK(client.ask("GET", path, "", path + "?whitelist=list")["numbers"].size() == 1);
  const std::string one = std::string(kRoot) + "/admin/whitelist/";
  client.ask("DELETE", one + "{number}", "", one + "%2B4930123456");
  CHECK(client
            .ask("GET", std::string(kRoot) + "/admin/audit", "",
                 std::string(kRoot) + "/admin/audit?action=whitelist.")["data"]
            .size() == 3);
}

// Creates, reads, changes and deletes a row by each form of its item endpoints. `rest` is the rest of the
// row.
void routes_of(Client& client, const std::string& path, const std::string& member, const std::string& rest) {
  for (const bool by_query : {false, true}) {
    const std::string item = by_query ? path : path + "/{" + member + "}";
    const std::string target = path + (by_query ? "?" + member + "=200" : "/200");
    client.ask("POST", path, "{\"" + member + "\":\"200\"," + rest + "}");
    client.ask("GET", item, "", target);
    client.ask("PUT", item, "{" + rest + R"(,"position":1})", target);
    client.ask("GET", path);
    client.ask("DELETE", item, "", target);
  }
}

void routes(Client& client) {
  const std::string root = kRoot;
  routes_of(client, root + "/outbound-routes", "match", R"("trunkIds":["main"])");
  routes_of(client, root + "/inbound-routes", "did", R"("user":"alice")");
  client.ask("PUT", root + "/inbound-routes/{did}", R"({"User":"alice"})", root + "/inbound-routes/%2A");
  const std::string explain = root + "/admin/explain";
  client.ask("POST", explain, R"({"direction":"outbound","number":"+4930123456"})");
  client.ask("POST", explain, R"({"direction":"inbound","did":"+4930123456"})");
  client.ask("GET", root + "/admin/trunks");
  client.ask("GET", root + "/admin/contacts", "", root + "/admin/contacts?user=alice");
}

void numbers(Client& client) {
  const std::string path = std::string(kRoot) + "/admin/numbers", item = path + "/{number}",
                    target = path + "/%2B4930123450";
  client.ask("POST", path,
             R"({"number":"+4930123450","name":"Desk","systemPrompt":"Help.","transferTargets":["alice"]})");
  client.ask("GET", item, "", target);
  client.ask("PATCH", item, R"({"mode":"ring-user","user":"alice"})", target);
  CHECK(client.ask("GET", path)["data"].size() == 1);
  CHECK(client.ask("GET", std::string(kRoot) + "/numbers")["data"].size() == 1);
  client.ask("DELETE", item, "", target);
}

void keys(Client& client) {
  const std::string path = std::string(kRoot) + "/admin/keys";
  const std::string id = text_of(client.ask("POST", path, R"({"name":"billing"})"), "id");
  CHECK(client.ask("GET", path)["data"].size() == 1);
  client.ask("DELETE", path + "/{id}", "", path + "/" + id);
}

// The ended call and the cancelled one have a message each.
void mails(Client& client, const SmtpServer& smtp) {
  const auto all = smtp.wait_for(2);
  REQUIRE(all.size() == 2);
  const bool first_talked = all[0].content.find("attachment") != std::string::npos;
  const std::string talked = all[first_talked ? 0 : 1].content, cancelled = all[first_talked ? 1 : 0].content;
  CHECK(mail_part(talked, "text/plain", 1).find("AI: ") != std::string::npos);
  CHECK(mail_part(talked, "text/html").find("Call to Dentist") != std::string::npos);
  CHECK(cancelled.find("attachment") == std::string::npos);
  CHECK(mail_part(cancelled, "text/plain").find("Outcome: Cancelled") != std::string::npos);
  CHECK(client.ask("GET", std::string(kRoot) + "/admin/mails")["data"].size() == 2);
}

// The public page as browsers get it: not counted for HEAD, never cached, and the viewer is the socket's
// peer.
void check_share_page(Client& client, const TestServer& server, const WebhookReceiver& receiver,
                      const std::string& path) {
  const HttpClient::Headers browser{"Accept: text/html,*/*;q=0.8", "X-Forwarded-For: 198.51.100.1"};
  CHECK(client.raw("HEAD", path, browser).status == 200);
  const HttpAnswer page = client.raw("GET", path, browser);
  CHECK(page.status == 200);
  CHECK(page.body.find("Call with Dentist") != std::string::npos);
  const auto header = [&](const char* name) { return page.headers.count(name) ? page.headers.at(name) : ""; };
  CHECK(header("content-type") == "text/html; charset=utf-8");
  CHECK(header("cache-control") == "no-store");
  CHECK(header("referrer-policy") == "no-referrer");
  CHECK(header("x-robots-tag") == "noindex, nofollow");
  CHECK(header("content-security-policy").find("script") == std::string::npos);
  const std::string token = path.substr(path.rfind('/') + 1);
  CHECK(server.log().find(token) == std::string::npos);
  size_t views = 0;
  for (const WebhookDelivery& delivery : receiver.wait_for(8)) {
    CHECK(delivery.body.find(token) == std::string::npos);
    if (delivery.body.find("share.viewed") == std::string::npos) continue;
    ++views;
    CHECK(delivery.body.find("\"viewerIp\":\"127.0.0.1\"") != std::string::npos);
  }
  CHECK(views <= 2);
}

void users_and_signing_keys(Client& client) {
  const std::string users = std::string(kRoot) + "/admin/users",
                    keys = std::string(kRoot) + "/admin/signing-keys";
  client.ask("POST", users, R"({"username":"dora","role":"user"})");
  CHECK(client.ask("GET", users)["data"].size() == 2);
  const auto ask = [&](const char* method, const std::string& tail, const std::string& body = "") {
    client.ask(method, users + "/{username}" + tail, body, users + "/dora" + tail);
  };
  ask("GET", "");
  ask("PATCH", "", R"({"displayName":"Dora"})");
  ask("POST", "/password", "{}");
  ask("POST", "/sip-password");
  ask("POST", "/end-sessions");
  ask("DELETE", "");
  client.ask("POST", keys + "/rotate");
  client.ask("GET", keys);
}

// The last function that needs the call's transcript, because it is deleted.
void shares(Client& client, const TestServer& server, const WebhookReceiver& receiver) {
  const std::string transcripts = std::string(kRoot) + "/transcripts",
                    path = std::string(kRoot) + "/admin/shares";
  const Json list = client.ask("GET", transcripts);
  const std::string file(list["data"].at(0).text("file", "")), call(list["data"].at(0).text("callId", ""));
  const Json made = client.ask("POST", path, R"({"file":")" + file + R"(","ttlHours":1})");
  client.ask("GET", "/share/{token}", "", text_of(made, "path"));
  check_share_page(client, server, receiver, text_of(made, "path"));
  CHECK(client.ask("GET", path)["data"].at(0).integer("views", 0) == 2);
  client.ask("DELETE", path + "/{id}", "", path + "/" + text_of(made, "id"));
  CHECK(client.raw("GET", text_of(made, "path"), {"Accept: text/html"}).status == 404);
  client.ask("DELETE", transcripts + "/{callId}", "", transcripts + "/" + call);
}

}  // namespace

TEST_CASE("every success in the OpenAPI document has the described body") {
  Sipp callee = start_sipp("talk_then_bye", {{"ms", "10000"}});  // time for the AI to begin
  WebhookReceiver receiver{{}};
  const SmtpServer smtp;
  TestServer server(yaml(callee.port(), smtp.port()));
  REQUIRE(server.start_error() == "");
  Client client(server);
  subscribe_to_all(client, receiver);
  calls_and_transcripts(client);
  check_events(server.core(), receiver);
  webhooks(client, receiver);
  whitelist(client);
  keys(client);
  numbers(client);
  routes(client);
  users_and_signing_keys(client);
  mails(client, smtp);
  shares(client, server, receiver);
  for (const char* method : {"GET", "POST"}) client.ask(method, "/oidc.ashx/userinfo");
  client.ask("POST", "/oidc.ashx/revoke", "token=rt_x&client_id=patchbay-admin");
  for (const char* path : {"/oidc.ashx/jwks", "/.well-known/openid-configuration", kRoot, "/openapi.json",
                           "/.well-known/openapi.json"})
    client.ask("GET", path);
  for (const std::string& success : client.unseen({"/"})) FAIL_CHECK("never asked: " << success);
  check_sipp(callee);
}

TEST_CASE("the schema checker reports mismatches and undocumented members") {
  const auto faults = [](const std::string& schema, const std::string& value) -> std::string {
    std::string document =
        R"({"paths":{"/x":{"get":{"responses":{"200":{"content":{"application/json":{"schema":)" + schema +
        R"(}}}}}}},"components":{"schemas":{"Name":{"type":"string"}}}})";
    auto parsed = OpenApi::parse(document);
    REQUIRE(parsed);
    const auto all = parsed->faults("GET", "/x", 200, value);
    CHECK(parsed->unseen({"/x"}).size() == (all.empty() ? 0 : 1));
    return all.empty() ? "" : all.front().substr(all.front().find(": ") + 2);
  };
  const std::string object =
      R"({"type":"object","required":["n"],"properties":{"n":{"type":"integer","maximum":9},
          "s":{"type":["string","null"],"enum":["a",null]},"l":{"type":"array","items":{"$ref":"#/components/schemas/Name"}},
          "m":{"type":"object","additionalProperties":{"type":"boolean"}}}})";
  CHECK(faults(object, R"({"n":1,"s":null,"l":["x"],"m":{"any":true}})") == "");
  CHECK(faults(object, "{}") == "the body lacks n");
  CHECK(faults(object, R"({"n":"1"})") == "n is a string");
  CHECK(faults(object, R"({"n":10})") == "n is above its maximum");
  CHECK(faults(object, R"({"n":1,"s":"b"})") == R"(s is none of its enum: "b")");
  CHECK(faults(object, R"({"n":1,"l":[1]})") == "l[0] is a number");
  CHECK(faults(object, R"({"n":1,"m":{"x":1}})") == "m.x is a number");
  CHECK(faults(object, R"({"n":1,"more":1})") == "more is not documented");
  CHECK(faults(R"({"anyOf":[{"type":"string"},{"type":"null"}]})", "null") == "");
  CHECK(faults(R"({"anyOf":[{"type":"string"},{"type":"null"}]})", "1").find("is none of those") !=
        std::string::npos);
  CHECK(faults(R"({"type":"string","pattern":"^a$"})", R"("b")").find("does not match") != std::string::npos);
}
