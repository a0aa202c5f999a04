// The faults of the hostile plugins. Compiled once; entry.c makes a plugin of each.
#include <patchbay/audio.h>
#include <patchbay/bus.h>
#include <patchbay/plugin.h>
#include <patchbay/service.h>
#include <patchbay/store.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>

namespace {

using namespace patchbay;

[[noreturn]] void fail() { throw std::runtime_error("hostile words"); }

struct Word {
  std::string text;
  Buffer bytes;
  PATCHBAY_FIELDS(text, bytes)
};
struct Echo {
  static constexpr char id[] = "hostile.echo/1";
  static constexpr Method<0, Word, Word> say{"say"};
  static constexpr auto methods() { return std::make_tuple(say); }
};

class ThrowingPort final : public AudioPort {
 public:
  uint32_t pull_rate_hz() const noexcept override { return 8000; }
  uint32_t push_rate_hz() const noexcept override { return 8000; }
  void pull(pb_frame&) override { fail(); }
  void push(const pb_frame&) override { fail(); }
};

class Hostile final : public Plugin {
 public:
  Hostile(const char* fault) : fault_(fault) {}

 private:
  using Fault = void (Hostile::*)();
  static const std::map<std::string, Fault>& faults() {
    static const std::map<std::string, Fault> all{
        {"throws-in-start", &Hostile::throw_now},
        {"throws-in-event", &Hostile::throw_in_event},
        {"throws-in-timer", &Hostile::throw_in_timer},
        {"throws-in-post", &Hostile::throw_in_post},
        {"throws-in-worker", &Hostile::throw_in_worker},
        {"throws-in-method", &Hostile::throw_in_method},
        {"throws-in-reply", &Hostile::throw_in_reply},
        {"throws-in-query", &Hostile::throw_in_query},
        {"throws-in-port", &Hostile::throw_in_port},
        {"never-starts", &Hostile::hang},
        {"hangs-in-event", &Hostile::hang_in_event},
        {"calls-on-media-loop", &Hostile::call_on_media_loop},
        {"keeps-a-buffer", &Hostile::keep_a_buffer},
        {"leaks", &Hostile::leak},
        {"closes-twice", &Hostile::close_twice},
        {"states-wrong-sizes", &Hostile::state_wrong_sizes},
        {"floods", &Hostile::flood},
        {"answers-a-call-twice", &Hostile::answer_a_call_twice},
        {"releases-a-buffer-twice", &Hostile::release_a_buffer_twice},
        {"reads-what-was-lent", &Hostile::read_what_was_lent},
        {"writes-anywhere", &Hostile::write_anywhere},
        {"exits", &Hostile::leave},
        {"throws-bare", &Hostile::throw_bare}};
    return all;
  }

  Status start(const Config&) override {
    const auto fault = faults().find(fault_);
    if (fault != faults().end()) (this->*fault->second)();
    return {};
  }
  void finish_start(Done done) override {
    if (fault_ != "never-answers") return done();
    kept_ = std::make_unique<Done>(std::move(done));
  }
  Status check_config(const Config&) override {
    if (fault_ == "throws-in-check") fail();
    return {};
  }
  void reconfigure(const Config&) override {
    if (fault_ == "throws-in-reconfigure") fail();
  }
  void drain(Done done) override {
    if (fault_ == "throws-in-drain") fail();
    done();
  }
  void stop(Done done) override {
    if (fault_ == "throws-in-stop") fail();
    if (fault_ == "never-stops") hang();
    if (attachment_ != 0) host().media->detach(host().self, attachment_, nullptr, nullptr);
    if (port_.handle()) {
      host().media->port_release(host().self, opening_);
      return port_.close([done = std::move(done)]() mutable { done(); });
    }
    done();
  }

  void throw_now() { fail(); }
  [[noreturn]] void hang() {
    for (;;) ::pause();
  }

  void listen(Subscription::Handler handler) {
    auto heard = Subscription::open(host(), "hostile.go", std::move(handler));
    if (heard) heard_ = std::move(*heard);
    publish(host(), {"hostile.go", "localhost", "", "", "{}"});
  }
  void throw_in_event() {
    listen([](const Event&) { fail(); });
  }
  void hang_in_event() {
    listen([this](const Event&) { hang(); });
  }
  void throw_in_timer() {
    timer_ = std::make_unique<Timer>(host());
    timer_->after_ms(1, [] { fail(); });
  }
  void throw_in_post() {
    post(host(), kMainStrand, [] { fail(); });
  }
  void throw_in_worker() {
    static_cast<void>(post_worker(host(), [] { fail(); }));
  }
  void call_myself(Function<void(Word, Reply<Word>)> method, Function<void(Result<Word>)> answer) {
    echo_ = std::make_unique<Provision<Echo>>(host());
    echo_->on(Echo::say, [method = std::move(method)](Word word, Reply<Word> reply) {
      method(std::move(word), std::move(reply));
    });
    lease_ = Lease<Echo>::open(host(), echo_->handle());
    lease_.call(Echo::say, Word{"hi", Buffer::copy("bytes")}, std::move(answer));
  }
  void throw_in_method() {
    call_myself([](const Word&, const Reply<Word>&) { fail(); },
                [this](Result<Word> said) {
                  log().warn("answered", {{"why", said.error().text}});
                });
  }
  void throw_in_reply() {
    call_myself([](Word word, Reply<Word> reply) { reply(std::move(word)); },
                [](const Result<Word>&) { fail(); });
  }
  void throw_in_query() {
    query(host(), Statement::find(host(), "one"), {}, [](const Result<Rows>&) { fail(); });
  }

  template <class F>
  void on_each_tick(F) {
    attachment_ = host().media->attach(
        host().self, PB_LOOP_ANY,
        [](void* user, const pb_tick*) noexcept {
          F()
          (*static_cast<Hostile*>(user));
        },
        this);
  }
  void throw_in_port() {
    port_.open(host());
    opening_ = host().media->port_open(host().self, port_.handle().id, &table_, &self_);
    struct Tick {
      void operator()(Hostile& me) const {
        int16_t pcm[160];
        pb_frame frame{};
        frame.size = sizeof frame;
        frame.rate_hz = 8000;
        frame.capacity = 160;
        frame.pcm = pcm;
        me.table_->pull(me.self_, &frame);
        me.table_->push(me.self_, &frame);
      }
    };
    on_each_tick(Tick{});
  }
  void call_on_media_loop() {
    struct Tick {
      void operator()(Hostile& me) const {
        publish(me.host(), {"hostile.tick", "localhost", "", "", "{}"});
        static_cast<void>(me.host().parse_json("{}"));
        me.log().info("a tick");
      }
    };
    on_each_tick(Tick{});
  }

  // Never released: leaks the memory and nothing else.
  void keep_a_buffer() {
    call_myself(
        [](Word word, Reply<Word> reply) {
          word.bytes.get()->ops->retain(word.bytes.get());
          reply(std::move(word));
        },
        [](const Result<Word>&) {});
    auto doc = host().parse_json("[1]");
    if (doc) host().json->write(host().self, doc->root().node());
  }

  // The leaked callbacks do not refer to the plugin, because they may be called after its end.
  void leak() {
    void* const self = host().self;
    static const pb_port port = [] {
      pb_port made{};
      made.size = sizeof(pb_port);
      made.attached = [](void*, uint32_t) noexcept {};
      made.pull = [](void*, pb_frame*) noexcept {};
      made.push = [](void*, const pb_frame*) noexcept {};
      made.detached = [](void*) noexcept {};
      return made;
    }();
    const auto nothing = [](void*) noexcept {};
    pb_subscription what{};
    what.size = sizeof what;
    what.pattern = to_abi("*");
    const auto ignore = [](void*, const pb_event*) noexcept {};
    host().bus->subscribe(self, &what, ignore, nullptr, nullptr);
    host().runtime->strand_create(self, to_abi("left"));
    host().runtime->timer_start(self, 0, PB_CLOCK_MONO, host().mono_ns() + 1'000'000, nothing, nullptr);
    host().services->watch(
        self, to_abi("healthy.echo/1"), 0, [](void*, int32_t) noexcept {}, nullptr);
    host().services->query(self, to_abi("healthy.echo/1"));
    host().services->query(self, to_abi("healthy.echo/1"));
    host().media->attach(
        self, PB_LOOP_ANY, [](void*, const pb_tick*) noexcept {}, nullptr);
    const pb_port* table = nullptr;
    void* port_self = nullptr;
    host().media->port_open(self, host().media->port_create(self, &port, nullptr), &table, &port_self);
    host().store->begin(self);
    host().store->job_worker(
        self, to_abi("left"), 1, 1000, 0, [](void*, const pb_job*) noexcept {}, nullptr);
    host().store->consumer(self, to_abi("left"), to_abi("healthy.*"), 0, nothing, nullptr, nullptr);
    host().json->schema(self, to_abi("{}"), nullptr);
  }

  // Three times, so that the freed memory is most likely reused in between.
  void answer_a_call_twice() {
    const auto say = [](void*, uint32_t, const pb_message* request, pb_completion* completion,
                        pb_err*) noexcept -> int32_t {
      for (int time = 0; time < 3; ++time) completion->complete(completion, PB_OK, request, nullptr);
      return PB_OK;
    };
    const uint64_t echo = host().services->provide(host().self, &detail::InterfaceTable<Echo>::table, 0,
                                                   kMainStrand, say, nullptr, nullptr);
    lease_ = Lease<Echo>::open(host(), {echo});
    lease_.call(Echo::say, Word{"hi", Buffer::copy("bytes")}, [](const Result<Word>&) {});
  }
  void release_a_buffer_twice() {
    call_myself(
        [](Word word, Reply<Word> reply) {
          pb_buf* bytes = word.bytes.get();
          for (int time = 0; time < 3; ++time) bytes->ops->release(bytes);
          reply(std::move(word));
        },
        [](const Result<Word>&) {});
  }
  void read_what_was_lent() {
    timer_ = std::make_unique<Timer>(host());
    listen([this](const Event& event) {
      timer_->after_ms(20, [this, lent = event.payload()] {
        size_t sum = 0;
        for (const char each : lent) sum += static_cast<unsigned char>(each);
        log().info("read", {{"sum", static_cast<int64_t>(sum)}});
      });
    });
  }
  void write_anywhere() {
    listen([this](const Event&) { *nowhere_ = 1; });
  }
  void leave() {
    listen([](const Event&) { std::exit(0); });
  }
  void throw_bare() {
    host().runtime->strand_post(
        host().self, kMainStrand, [](void*) noexcept { fail(); }, nullptr);
  }

  template <class F>
  static void twice(F f) {
    f();
    f();
  }
  void close_twice() {
    void* const self = host().self;
    const uint64_t lease = host().services->query(self, to_abi("healthy.echo/1"));
    twice([&] { host().services->unlease(self, lease); });
    const uint64_t strand = host().runtime->strand_create(self, to_abi("short"));
    twice([&] { host().runtime->strand_close(self, strand, nullptr, nullptr); });
    const uint64_t timer = host().runtime->timer_start(
        self, 0, PB_CLOCK_MONO, host().mono_ns(), [](void*) noexcept {}, nullptr);
    twice([&] { host().runtime->timer_close(self, timer, nullptr, nullptr); });
    pb_subscription what{};
    what.size = sizeof what;
    what.pattern = to_abi("*");
    const uint64_t heard = host().bus->subscribe(
        self, &what, [](void*, const pb_event*) noexcept {}, nullptr, nullptr);
    twice([&] { host().bus->unsubscribe(self, heard, nullptr, nullptr); });
    const uint64_t tx = host().store->begin(self);
    twice([&] { host().store->discard(self, tx); });
  }

  void state_wrong_sizes() {
    pb_message none{0, 0};
    pb_message huge{0xffffffffu, 0};
    struct Sent {
      pb_message head;
      pb_str text;
      pb_buf* bytes;
    } sent{huge, to_abi("hi"), nullptr};
    lease_ = Lease<Echo>::open(host(), {});
    echo_ = std::make_unique<Provision<Echo>>(host());
    echo_->on(Echo::say, [this](const Word& word) -> Result<Word> {
      log().warn("heard", {{"text", word.text}});
      return word;
    });
    const uint64_t lease = host().services->open(host().self, echo_->handle().id, to_abi(Echo::id));
    for (const pb_message* message : {&none, &sent.head}) {
      host().services->call(host().self, lease, &detail::InterfaceTable<Echo>::table, 0, message, 0, nullptr,
                            nullptr);
    }
    host().services->unlease(host().self, lease);
  }

  void flood() {
    static_cast<void>(post_worker(host(), [this] {
      for (int i = 0; i < 200'000; ++i) publish(host(), {"hostile.flood", "localhost", "", "", "{}"});
      log().warn("the flood is over");
    }));
  }

  int* volatile nowhere_ = nullptr;
  const std::string fault_;
  std::unique_ptr<Done> kept_;
  std::unique_ptr<Timer> timer_;
  Subscription heard_;
  std::unique_ptr<Provision<Echo>> echo_;
  Lease<Echo> lease_;
  ThrowingPort port_;
  const pb_port* table_ = nullptr;
  void* self_ = nullptr;
  uint64_t opening_ = 0, attachment_ = 0;
};

const pb_plugin* real_table = nullptr;

// Completes the start three times, the last time after the host has stopped waiting.
void answer_often(void* self, pb_str config, const pb_done* done) noexcept {
  const pb_done mine = *done;
  mine.call(mine.self, PB_OK, nullptr);
  mine.call(mine.self, PB_E_FAILED, nullptr);
  real_table->start(self, config, done);
}

}  // namespace

extern "C" int32_t hostile_create(const char* fault, const pb_host* host, const pb_plugin** table,
                                  void** self, pb_err* err) {
  return guard(err, [&] {
    auto opened = Host::open(host);
    if (!opened) return write_error(err, opened.error().code, opened.error().text);
    auto box = std::make_unique<detail::PluginBox>();
    box->raw = host;
    box->plugin = std::make_unique<Hostile>(fault);
    box->plugin->bind(std::make_unique<const Host>(*opened));
    static pb_plugin mine;
    mine = detail::kPluginTable;
    real_table = &detail::kPluginTable;
    const std::string name = fault;
    if (name == "answers-often") mine.start = &answer_often;
    if (name == "misses-functions") mine.drain = nullptr;
    if (name == "states-size-zero") mine.size = 0;
    *table = &mine;
    *self = box.release();
    return PB_OK;
  });
}
