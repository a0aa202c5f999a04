// FakeTelephony with a plugin that adds a contact of a user, and with a plugin that calls users.
#include <doctest/doctest.h>
#include <patchbay/testing/fake_telephony.h>

#include <memory>
#include <string>
#include <vector>

using namespace patchbay;
using telephony::Contact;
using telephony::Leg;
using telephony::LegListener;
using testing::FakeCall;
using testing::FakeRing;
using testing::FakeTelephony;
using testing::TestEnvironment;
using testing::why;

namespace {

// A plugin's place where a user is rung, such as a page in a browser. Test's strand.
struct Browser {
  explicit Browser(const Host& host) : contact(host), leg(host), port(8000), host_(&host) {
    contact.on(Contact::ring, [this](const telephony::RingContact& request) -> Result<telephony::Dialled> {
      if (!is_online) return Error{Code::unavailable, "the page is closed"};
      rung = request;
      listener = Lease<LegListener>::open(*host_, request.listener);
      listener.send(LegListener::progress, {180, {}, false, {}});
      return telephony::Dialled{leg.handle()};
    });
    leg.on(Leg::hangup, [this](const telephony::Hangup& why) -> Result<Empty> {
      hangup = why;
      listener.send(LegListener::ended, testing::detail::ended_as("local"));
      return Empty{};
    });
  }
  void answer() { listener.send(LegListener::answered, {{}, 0, port.open(*host_)}); }

  Provision<Contact> contact;
  Provision<Leg> leg;
  testing::FakePort port;
  Lease<LegListener> listener;
  telephony::RingContact rung;
  telephony::Hangup hangup;
  bool is_online = true;

 private:
  const Host* host_;
};

struct Users {
  Browser& add(const std::string& name, const std::string& user = "alice") {
    Browser& browser = host.make<Browser>(host.host());
    telephony::AddContact request;
    request.tenant = "localhost";
    request.user = user;
    request.name = name;
    request.kind = "browser";
    request.contact = host.run([&] { return browser.contact.handle(); });
    CHECK(why(host.call<telephony::Telephony>(telephony::Telephony::add_contact, request)) == "");
    return browser;
  }

  TestEnvironment host;
  FakeTelephony telephony{host};
};

}  // namespace

TEST_CASE("a user is rung at all contacts, the first that answers gets the call, and the others stop") {
  Users users;
  Browser& one = users.add("tab-1");
  Browser& two = users.add("tab-2");
  users.add("tab-1", "bob");
  CHECK(users.telephony.contacts().size() == 3);
  const std::vector<FakeRing> rings = users.telephony.ring_user("alice", "+49171");
  REQUIRE(rings.size() == 2);
  CHECK(rings[0].contact() == "tab-1");
  CHECK(rings[0].is_ringing());
  CHECK(users.host.run([&] { return one.rung.from_number; }) == "+49171");
  CHECK(users.host.run([&] { return one.rung.fork; }) == 1);
  CHECK(users.host.run([&] { return two.rung.fork; }) == 2);
  CHECK(users.host.run([&] { return two.rung.call_id == one.rung.call_id; }));

  users.host.run([&] { two.answer(); });
  CHECK(rings[1].is_answered());
  CHECK_FALSE(rings[1].is_ringing());
  REQUIRE(rings[0].ended());
  CHECK(users.host.run([&] { return one.hangup.answered_elsewhere; }));
  CHECK_FALSE(rings[1].ended());
  rings[1].hang_up();
  CHECK(users.host.run([&] { return two.hangup.reason; }) == "the caller hung up");
  CHECK(rings[1].ended());
  users.host.run([&] { two.port.close([] {}); });
  CHECK(users.host.problem_text() == "");
}

TEST_CASE("a contact that refuses the call reports why, and a withdrawn one is not rung") {
  Users users;
  Browser& one = users.add("tab-1");
  users.host.run([&] { one.is_online = false; });
  const std::vector<FakeRing> rings = users.telephony.ring_user("alice");
  REQUIRE(rings.size() == 1);
  REQUIRE(rings[0].error());
  CHECK(rings[0].error()->text == "the page is closed");
  CHECK_FALSE(rings[0].is_ringing());
  users.host.run([&] { one.contact.withdraw(); });
  CHECK(users.telephony.ring_user("alice").empty());
  CHECK(users.telephony.contacts().empty());
}

TEST_CASE("a plugin calls a user, whom the test plays") {
  Users users;
  auto& listener = users.host.make<Provision<LegListener>>(users.host.host());
  auto& log = users.host.make<std::string>();
  users.host.run([&] {
    listener
        .on(LegListener::progress,
            [&](const telephony::Progress& what) -> Result<Empty> {
              log += "progress " + std::to_string(what.sip_status) + " ";
              return Empty{};
            })
        .on(LegListener::ended, [&](const telephony::Ended& what) -> Result<Empty> {
          log += "ended " + std::to_string(what.sip_status);
          return Empty{};
        });
  });
  telephony::DialUser request;
  request.call_id = "sip-1";
  request.tenant = "localhost";
  request.user = "alice";
  request.listener = users.host.run([&] { return listener.handle(); });
  const auto dial = [&] {
    return why(users.host.call<telephony::Telephony>(telephony::Telephony::dial_user, request));
  };
  CHECK(dial() == "the user has no contact");
  users.telephony.add_user("alice");
  REQUIRE(dial() == "");
  const FakeCall call = users.telephony.last_dialled();
  CHECK(call.dial_user().user == "alice");
  CHECK(call.dial().number.empty());
  call.ring();
  call.decline(603, "declined (603)");
  CHECK(users.host.run([&] { return log; }) == "progress 180 ended 603");
  CHECK(users.host.problem_text() == "");
}
