#include "registrar/bindings.h"

#include <doctest/doctest.h>

#include <string>

using namespace patchbay::sip_trunk;
using patchbay::lib::SocketAddress;

namespace {

constexpr int64_t kSecond = 1'000'000'000;

struct Telephones {
  Bindings bindings;
  Bindings::Limits limits;
  Bindings::Sender sender{"acme.example", "bob", "MD5", "mark"};
  uint32_t sequence = 0;
  int64_t now_ns = kSecond;

  RegisterRequest request(const std::string& uri, int64_t expires_sec = -1,
                          const std::string& instance = "") {
    RegisterRequest out;
    out.source = *SocketAddress::parse("192.0.2.7", 5060);
    out.user = sender.user;
    out.host = sender.tenant;
    out.call_id = "call";
    out.sequence = ++sequence;
    if (!uri.empty()) out.contacts.push_back({uri, expires_sec, instance});
    return out;
  }
  Bindings::Outcome apply(const RegisterRequest& request) {
    return bindings.apply(request, sender, limits, now_ns, 0);
  }
  size_t count() const { return bindings.of(sender.tenant, sender.user).size(); }
};

}  // namespace

TEST_CASE("a contact is added, renewed, queried and removed") {
  Telephones t;
  CHECK(t.apply(t.request("sip:bob@a")).added.size() == 1);
  CHECK(t.apply(t.request("sip:bob@b")).added.size() == 1);
  const auto renewed = t.apply(t.request("sip:bob@a", 300));
  REQUIRE(renewed.renewed.size() == 1);
  CHECK(t.bindings.find(renewed.renewed[0])->expires_ns == t.now_ns + 300 * kSecond);
  CHECK(t.apply(t.request("")).status == 200);
  CHECK(t.count() == 2);
  CHECK(t.apply(t.request("sip:bob@a", 0)).removed.size() == 1);
  CHECK(t.apply(t.request("sip:bob@never", 0)).status == 200);
  CHECK(t.count() == 1);
  CHECK(t.bindings.of("acme.example", "eve").empty());
}

TEST_CASE("the expiry is the contact's, else that of Expires, else the default, within the bounds") {
  Telephones t;
  const auto expires_sec = [&](RegisterRequest request) {
    const auto outcome = t.apply(request);
    const auto id = outcome.added.empty() ? outcome.renewed.at(0) : outcome.added[0];
    return (t.bindings.find(id)->expires_ns - t.now_ns) / kSecond;
  };
  CHECK(expires_sec(t.request("sip:bob@a")) == t.limits.default_expires_sec);
  RegisterRequest both = t.request("sip:bob@a", 120);
  both.expires_sec = 240;
  CHECK(expires_sec(both) == 120);
  RegisterRequest header = t.request("sip:bob@a");
  header.expires_sec = 240;
  CHECK(expires_sec(header) == 240);
  CHECK(expires_sec(t.request("sip:bob@a", 4'000'000'000)) == t.limits.max_expires_sec);
  const auto brief = t.apply(t.request("sip:bob@a", 59));
  CHECK(brief.status == 423);
  CHECK(brief.min_expires_sec == 60);
  CHECK(t.apply(t.request("sip:bob@a", 60)).status == 200);
}

TEST_CASE("contacts expire") {
  Telephones t;
  CHECK(t.apply(t.request("sip:bob@a", 60)).status == 200);
  CHECK(t.apply(t.request("sip:bob@b", 120)).status == 200);
  CHECK(t.bindings.expire(t.now_ns + 59 * kSecond).empty());
  CHECK(t.bindings.expire(t.now_ns + 60 * kSecond).size() == 1);
  CHECK(t.count() == 1);
  CHECK(t.bindings.expire(t.now_ns + 120 * kSecond).size() == 1);
  CHECK(t.count() == 0);
}

TEST_CASE("a star removes all contacts of the user, with Expires 0 and alone") {
  Telephones t;
  CHECK(t.apply(t.request("sip:bob@a")).status == 200);
  t.sender.user = "eve";
  CHECK(t.apply(t.request("sip:eve@a")).status == 200);
  t.sender.user = "bob";
  RegisterRequest star = t.request("");
  star.removes_all = true;
  CHECK(t.apply(star).status == 400);
  star.expires_sec = 0;
  star.contacts.push_back({"sip:bob@a"});
  CHECK(t.apply(star).status == 400);
  star.contacts.clear();
  CHECK(t.apply(star).removed.size() == 1);
  CHECK(t.count() == 0);
  CHECK(t.bindings.of("acme.example", "eve").size() == 1);
}

TEST_CASE("a request that is older than one that was applied changes nothing") {
  Telephones t;
  const RegisterRequest first = t.request("sip:bob@a");
  CHECK(t.apply(t.request("sip:bob@a", 300)).status == 200);
  CHECK(t.apply(first).status == 500);
  RegisterRequest star = first;
  star.contacts.clear();
  star.removes_all = true;
  star.expires_sec = 0;
  CHECK(t.apply(star).status == 500);
  CHECK(t.count() == 1);
  RegisterRequest restarted = first;  // another Call-ID begins anew
  restarted.call_id = "other";
  CHECK(t.apply(restarted).status == 200);
}

TEST_CASE("a telephone that restarts with another address replaces its contact") {
  Telephones t;
  const auto first = t.apply(t.request("sip:bob@a:1111", 300, "<urn:uuid:1>"));
  const auto second = t.apply(t.request("sip:bob@a:2222", 300, "<urn:uuid:1>"));
  REQUIRE(second.renewed.size() == 1);
  CHECK(second.renewed[0] == first.added.at(0));
  CHECK(t.bindings.find(second.renewed[0])->uri == "sip:bob@a:2222");
  CHECK(t.count() == 1);
}

TEST_CASE("the contacts of a user and of all are limited, and a request counts as a whole") {
  Telephones t;
  t.limits.per_user = 2;
  t.limits.total = 3;
  RegisterRequest three = t.request("sip:bob@a");
  three.contacts.push_back({"sip:bob@b"});
  three.contacts.push_back({"sip:bob@c"});
  CHECK(t.apply(three).status == 403);
  CHECK(t.count() == 0);
  three.contacts.pop_back();
  CHECK(t.apply(three).status == 200);
  CHECK(t.apply(t.request("sip:bob@a")).status == 200);  // renewed at the limit
  t.sender.user = "eve";
  CHECK(t.apply(t.request("sip:eve@a")).status == 200);
  CHECK(t.apply(t.request("sip:eve@b")).status == 503);
  RegisterRequest twice = t.request("sip:eve@a");
  twice.contacts.push_back({"sip:eve@a"});
  CHECK(t.apply(twice).status == 400);
  RegisterRequest broken = t.request("sip:eve@a");
  broken.is_complete = false;
  CHECK(t.apply(broken).status == 400);
}
