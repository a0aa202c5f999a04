#include <doctest/doctest.h>
#include <patchbay/audio.h>
#include <patchbay/bus.h>

#include <atomic>

#include "example.h"
#include "level-meter/tap_service.h"
#include "support/probe_plugin.h"
#include "support/promise.h"
#include "support/test_server.h"

using namespace patchbay;
using level_meter::Taps;

namespace {

// Produces a constant and records the last pushed sample.
class Voice final : public AudioPort {
 public:
  explicit Voice(int16_t said) : said_(said) {}
  uint32_t pull_rate_hz() const noexcept override { return 16000; }
  uint32_t push_rate_hz() const noexcept override { return 16000; }
  void pull(pb_frame& out) noexcept override {
    out.samples = out.capacity;
    std::fill_n(out.pcm, out.samples, said_);
  }
  void push(const pb_frame& in) noexcept override { heard = in.pcm[0]; }
  std::atomic<int16_t> heard{0};

 private:
  const int16_t said_;
};

// The objects on the probe's strand.
struct Line {
  explicit Line(const Host& host) : taps(host) {}
  Voice loud{16384};
  Voice quiet{1638};
  Service<Taps> taps;
  Subscription levels;
};

// Runs f(done) on the probe's strand; returns what done() got, or nullopt after a minute.
template <class T, class F>
std::optional<T> on_strand(F f) {
  auto answer = std::make_shared<test::Promise<T>>();
  probe::run([=](const Host& host) { f(host, [answer](T value) { answer->set(std::move(value)); }); });
  return answer->get();
}

}  // namespace

TEST_CASE("level-meter forwards audio in both directions and publishes its levels") {
  test::TestServer server(
      "plugins: {probe: {}, media: {}, level-meter: {intervalMs: 100}}\ntenants: {localhost: {}}\n", nullptr,
      {probe::entry(), test::example("level-meter")});
  REQUIRE(server.start_error() == "");
  std::shared_ptr<Line> line;
  test::Promise<std::string> level;
  const auto tap = on_strand<Result<level_meter::Tapped>>([&](const Host& host, auto done) {
    line = std::make_shared<Line>(host);
    line->levels = *Subscription::open(host, "level.measured", [&](const Event& event) {
      if (event.payload().find(":-6.0") != std::string_view::npos) level.set(std::string(event.payload()));
    });
    line->taps.call(Taps::insert, {line->loud.open(host), line->quiet.open(host), "line-1"}, done);
  });
  REQUIRE(tap.has_value());
  REQUIRE(tap->ok());
  CHECK(test::eventually([&] { return line->loud.heard == 1638 && line->quiet.heard == 16384; }));
  const auto measured = level.get();
  REQUIRE(measured.has_value());
  INFO(*measured);
  CHECK(measured->find("\"aDb\":-6.0") != std::string::npos);
  CHECK(measured->find("\"bDb\":-26.0") != std::string::npos);

  const auto remove = [&](const Host&, auto done) { line->taps.call(Taps::remove, **tap, done); };
  const auto removed = on_strand<Result<Empty>>(remove);
  CHECK((removed && removed->ok()));
  const auto again = on_strand<Result<Empty>>(remove);
  REQUIRE(again.has_value());
  CHECK(again->error().code == Code::not_found);
  const auto nowhere = on_strand<Result<level_meter::Tapped>>([&](const Host&, auto done) {
    line->taps.call(Taps::insert, {line->loud.handle(), Handle{12345}, "line-2"}, done);
  });
  CHECK((nowhere && !nowhere->ok()));

  // Stops while a tap exists: its ports are not in use afterwards, and can be closed.
  const auto third = on_strand<Result<level_meter::Tapped>>([&](const Host&, auto done) {
    line->taps.call(Taps::insert, {line->loud.handle(), line->quiet.handle(), "line-3"}, done);
  });
  CHECK((third && third->ok()));
  probe::run([&](const Host&) {
    line->levels = Subscription();
    line->loud.close([keep = line] { keep->quiet.close([keep] {}); });
    line.reset();
  });
  CHECK(server.core().stop().ok());
}
