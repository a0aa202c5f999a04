// The server's half of an isolated plugin, given frames as its process would send them.
#include "isolation/session_dispatcher.h"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <string>
#include <vector>

#include "core/abi/host_harness.h"

namespace {

using namespace abi_test;
using namespace patchbay;
using namespace patchbay::core::isolation;

struct Child {
  Child() {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    server.emplace(Descriptor(ends[0]));
    child.emplace(Descriptor(ends[1]));
    host.emplace(*Host::open(harness.one->raw()));
    on_strand([this] {
      tables.emplace(*harness.one, *host, interfaces);
      tables->link().open(&*server);
    });
  }
  ~Child() {
    on_strand([this] { tables->end(); });
    harness.services().runtime.wait_idle(std::chrono::seconds(60));
    on_strand([this] { tables.reset(); });
  }
  template <class F>
  void on_strand(F f) {
    std::promise<void> done;
    harness.one->main_strand()->post([&] {
      f();
      done.set_value();
    });
    done.get_future().wait();
  }
  bool take(const std::string& frame) {
    bool took = false;
    on_strand([&] {
      Decoder in(frame);
      const Kind kind = in.kind();
      took = tables->take(kind, in, {});
    });
    return took;
  }
  template <class T, class F>
  static Encoder call(uint64_t number, F T::*function) {
    Encoder out(Kind::host_call);
    out.u64(number).u32(function_number(function));
    return out;
  }
  bool take(const Encoder& out) { return take(out.frame()); }
  // The next frame for the child, which must be of that kind and number; waits for it.
  Decoder next(Kind kind, uint64_t number) {
    Descriptor none;
    REQUIRE(child->receive(received, none));
    Decoder in(received);
    CHECK(in.kind() == kind);
    CHECK(in.u64() == number);
    return in;
  }
  struct Answer {
    uint64_t value;
    int32_t status;
    std::string text;
  };
  Answer answer(uint64_t number) {
    Decoder in = next(Kind::answer, number);
    Answer answer{in.u64(), in.status(), {}};
    answer.text = in.str();
    return answer;
  }

  HostHarness harness;
  InterfaceShare interfaces{{}};
  std::optional<Channel> server, child;
  std::optional<Host> host;
  std::optional<SessionDispatcher> tables;
  std::string received;
};

pb_event event_of(const char* topic) {
  pb_event event{};
  event.size = sizeof event;
  event.topic = to_abi(topic);
  event.tenant = to_abi("localhost");
  event.payload = to_abi("{}");
  return event;
}

}  // namespace

TEST_CASE("a registration is answered with its handle, calls back by its number, and is closed") {
  Child child;
  CHECK(child.take(Child::call(7, &pb_bus::subscribe).u32(0).u32(0).str("test.*").str("")));
  const auto subscribed = child.answer(7);
  REQUIRE(subscribed.value != 0);
  const pb_event event = event_of("test.told");
  CHECK(bus_table().publish(&*child.harness.other, &event) == PB_OK);
  Decoder in = child.next(Kind::callback, 7);
  const ReadArgument<const pb_event*> told(in);
  CHECK(in.whole());
  CHECK(from_abi(told.get()->topic) == "test.told");
  CHECK(child.harness.one->handles().subscriptions.size() == 1);
  CHECK(child.take(Child::call(0, &pb_bus::unsubscribe).u64(subscribed.value)));
  CHECK(child.harness.one->handles().subscriptions.size() == 0);
  CHECK(child.take(Child::call(0, &pb_bus::unsubscribe).u64(subscribed.value)));  // closed before: ignored
}

TEST_CASE("a registration that is refused is answered with the reason") {
  Child child;
  CHECK(child.take(Child::call(7, &pb_bus::subscribe).u32(0).u32(0).str("..").str("")));
  const auto refused = child.answer(7);
  CHECK(refused.value == 0);
  CHECK(refused.status != PB_OK);
  CHECK(refused.text != "");
}

TEST_CASE("a question is answered once, with what its callback gets") {
  Child child;
  CHECK(child.take(Child::call(7, &pb_store::statement).str("count")));
  const auto statement = child.answer(7);
  CHECK(child.take(Child::call(8, &pb_store::query).u64(statement.value).u32(0)));
  Decoder in = child.next(Kind::result, 8);
  const Arguments<int32_t, const pb_rows*, const pb_err*> result(in);
  CHECK(in.whole());
  result.call([](int32_t status, const pb_rows* rows, const pb_err* err) {
    CHECK(status == PB_OK);
    CHECK(err == nullptr);
    REQUIRE(rows != nullptr);
    CHECK(rows->cells[0].integer == 0);
  });
}

TEST_CASE("an instance that was not given to the child is not opened") {
  Child child;
  static constexpr pb_interface kNothing{sizeof(pb_interface), 0, {"test.other/1", 12}, nullptr};
  const auto method = [](void*, uint32_t, const pb_message*, pb_completion*, pb_err*) noexcept -> int32_t {
    return PB_E_UNSUPPORTED;
  };
  const uint64_t instance =
      services_table().provide(&*child.harness.other, &kNothing, 0, 0, method, nullptr, nullptr);
  REQUIRE(instance != 0);
  CHECK(child.take(Child::call(7, &pb_services::open).u64(instance).str("test.other/1")));
  CHECK(child.answer(7).value == 0);
  child.on_strand([&] { child.tables->link().grant(instance); });
  CHECK(child.take(Child::call(8, &pb_services::open).u64(instance).str("test.other/1")));
  const uint64_t lease = child.answer(8).value;
  CHECK(lease != 0);
  CHECK(child.harness.one->handles().leases.size() == 1);
  CHECK(child.take(Child::call(0, &pb_services::unlease).u64(lease)));
  CHECK(child.harness.one->handles().leases.size() == 0);
  services_table().withdraw(&*child.harness.other, instance, nullptr, nullptr);
}

TEST_CASE("what a child still holds when it ends is closed") {
  Child child;
  CHECK(child.take(Child::call(7, &pb_store::job_worker).str("remind").u32(1).i64(1000)));
  CHECK(child.answer(7).value != 0);
  CHECK(child.take(Child::call(8, &pb_services::watch).str("test.other/1")));
  CHECK(child.answer(8).value != 0);
  child.on_strand([&] { child.tables->end(); });
  CHECK(child.harness.one->handles().watches.size() == 0);
  CHECK(child.harness.one->handles().job_workers.size() == 0);
}

TEST_CASE("a call of a function that does not cross is refused") {
  Child child;
  CHECK_FALSE(child.take(Child::call(7, &pb_store::begin)));
  CHECK_FALSE(child.take(Child::call(7, &pb_store::exec).u64(1).u64(1).u32(0).i64(0)));
  CHECK_FALSE(child.take(Child::call(7, &pb_runtime::now)));
  CHECK_FALSE(child.take(Child::call(7, &pb_store::statement).str("count").u32(0)));  // too long
}

TEST_CASE("the seeds of the fuzzer are valid frames") {
  for (const auto& file : std::filesystem::directory_iterator(ISOLATION_SEEDS)) {
    CAPTURE(file.path().string());
    if (file.path().filename() == "port") continue;  // comes with a descriptor
    std::ifstream stream(file.path(), std::ios::binary);
    const std::string seed{std::istreambuf_iterator<char>(stream), {}};
    Child child;
    for (size_t at = 0; at < seed.size();) {
      const size_t length = static_cast<unsigned char>(seed[at]) | static_cast<unsigned char>(seed[at + 1])
                                                                       << 8;
      REQUIRE(length <= seed.size() - at - 2);
      const std::string frame = seed.substr(at + 2, length);
      const Kind kind = Decoder(frame).kind();
      CAPTURE(static_cast<uint32_t>(kind));
      CAPTURE(at);
      // There is no call that it could answer.
      CHECK(child.take(frame) == (kind != Kind::reply));
      at += 2 + length;
    }
  }
}
