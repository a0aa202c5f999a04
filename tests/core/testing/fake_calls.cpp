// FakeCalls with CallAccess, as a plugin uses it.
#include <doctest/doctest.h>
#include <patchbay/services/call_access.h>
#include <patchbay/testing/fake_audio.h>
#include <patchbay/testing/fake_calls.h>

#include <algorithm>
#include <memory>
#include <string>

using namespace patchbay;
using telephony::CallAccess;
using testing::FakeAccess;
using testing::TestEnvironment;
using testing::why;

namespace {

struct Supervisor {
  Supervisor() {
    calls.add("localhost", "oac-1", "+49301");
    host.run([this] {
      access = std::make_shared<CallAccess>(host.host(), 8000);
      access->on_ended([this] {
        log += "ended ";
        access.reset();
      });
    });
  }
  ~Supervisor() {
    host.run([this] { access.reset(); });
    CHECK(host.problem_text() == "");
  }
  void open(const telephony::OpenAccess& what) {
    host.run([&] {
      access->open(what,
                   [this](const Status& opened) { log += opened ? "open " : opened.error().text + " "; });
    });
    CHECK(why(host.settle()) == "");
  }

  TestEnvironment host;
  testing::FakeAudio audio{host};
  testing::FakeCalls calls{host};
  std::string log;
  std::shared_ptr<CallAccess> access;
};

}  // namespace

TEST_CASE("a fake call is listed, heard and spoken in, and its end ends the access") {
  Supervisor one;
  const auto list = one.host.call<telephony::Calls>(telephony::Calls::list, {"localhost"});
  REQUIRE(list.ok());
  CHECK(list->calls.find(R"("callId":"oac-1","direction":"outbound","number":"+49301")") !=
        std::string::npos);
  CHECK(one.host.call<telephony::Calls>(telephony::Calls::list, {"other"})->calls == "[]");

  one.open({"localhost", "oac-1", "both", "near"});
  CHECK(one.log == "open ");
  const FakeAccess access = one.calls.last_access();
  REQUIRE(access);
  CHECK(access.request().say == "near");
  access.say(testing::Pcm(800, 5));
  size_t heard = 0;
  one.host.run([&] {
    one.access->player().play(Samples(800, 7));
    one.access->recorder().start(60'000, [&](const Wav& wav) {
      heard = static_cast<size_t>(std::count(wav.samples.begin(), wav.samples.end(), 5));
    });
  });
  CHECK(why(one.host.advance_ms(300)) == "");
  const auto said = access.heard();
  CHECK(std::count(said.begin(), said.end(), 7) == 800);
  one.calls.end("oac-1");
  CHECK(heard == 800);
  CHECK(one.log == "open ended ");
  CHECK(access.is_closed());
  CHECK(one.audio.joined() == 0);
}

TEST_CASE("an access is refused, or closed by the plugin") {
  {
    Supervisor one;
    one.calls.deny();
    one.open({"localhost", "oac-1", "both", ""});
    CHECK(one.log == "the configuration does not grant it ended ");
  }
  {
    Supervisor one;
    one.open({"localhost", "oac-2", "both", ""});
    CHECK(one.log == "there is no such call ended ");
    CHECK_FALSE(one.calls.last_access());
  }
  Supervisor one;
  one.open({"localhost", "oac-1", "both", ""});
  one.host.run([&] { one.access->close(); });
  CHECK(one.calls.last_access().is_closed());
  CHECK(one.log == "open ended ");
}
