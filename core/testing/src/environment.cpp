#include "environment.h"

#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <system_error>
#include <thread>
#include <utility>

#include "postgres_database.h"
#include "store/database.h"

namespace patchbay::fake {
namespace {

using std::chrono::milliseconds;

Error not_idle(milliseconds wait) {
  return {Code::timeout, "strands, workers and the store did not come to rest within " +
                             std::to_string(wait.count()) + " ms; does a callback post itself again?"};
}

}  // namespace

Result<std::unique_ptr<Environment>> Environment::create(const EnvironmentOptions& options) {
  std::unique_ptr<Environment> environment(new Environment(options));
  PB_TRY(environment->open());
  return environment;
}

Environment::Environment(const EnvironmentOptions& options) : options_(options) {}

Environment::~Environment() {
  subsystems_.reset();
  std::error_code ignored;
  if (temporary_) std::filesystem::remove_all(folder_, ignored);
}

Status Environment::open() {
  PB_TRY(open_folder());
  core::Subsystems::Options options;
  const auto log_file = options_.echo ? std::string() : (folder_ / "log").string();
  options.log = {core::observe::Format::text, options_.level, log_file};
  options.data_folder = folder_;
  options.observer = &rules_;
  options.report = [this](std::string_view what) {
    if (what == "metrics") return services().metrics.text();
    if (what == "plugins") return std::string("[]");
    return what == "ready" ? std::string(R"({"ready":true,"plugins":{}})") : std::string();
  };
  core::RuntimeOptions& runtime = options.runtime;
  runtime.executor.threads = 2;
  if (options_.stall_ms > 0) runtime.executor.stall_ms = options_.stall_ms;
  runtime.executor.stall_user = this;
  runtime.executor.on_stall = [](void* self, const core::StallReport& stall) {
    static_cast<Environment*>(self)->rules_.problem(
        "stalled", stall.owner,
        "a task has held its strand '" + std::string(stall.strand) + "' for " + std::to_string(stall.ms) +
            " ms; what blocks belongs on a worker");
  };
  runtime.media.loops = 1;
  runtime.media.realtime = options_.real_time;
  if (!options_.real_time) {
    clock_ = options_.wall_ms != 0 ? std::make_unique<core::ManualClock>(options_.wall_ms)
                                   : std::make_unique<core::ManualClock>();
    runtime.media.manual_clock = clock_.get();
    runtime.manual = clock_.get();
  }
  PB_TRY_VALUE(subsystems_, core::Subsystems::create(std::move(options)));
  return open_store();
}

Status Environment::open_folder() {
  std::error_code error;
  if (!options_.folder.empty()) {
    folder_ = options_.folder;
    std::filesystem::create_directories(folder_, error);
    if (error) return {Code::invalid, "cannot make " + folder_.string() + ": " + error.message()};
    return {};
  }
  std::string name = (std::filesystem::temp_directory_path(error) / "patchbay-test-XXXXXX").string();
  if (error || ::mkdtemp(name.data()) == nullptr) return {Code::failed, "cannot make a temporary folder"};
  folder_ = name;
  temporary_ = true;
  return {};
}

Status Environment::open_store() {
  core::StoreOptions options;
  if (!options_.store.empty()) {
    PB_TRY_VALUE(postgres_, PostgresDatabase::open(options_.store, temporary_));
    options.postgres = postgres_->conninfo();
  }
  options.scratch = temporary_;
  options.reader_threads = 1;  // so that reads are answered in order
  options.on_committed = [this](const core::CommitNotice& what) {
    for (const core::LoggedEvent& event : what.events) {
      recording_.events.add({"", event.topic, event.tenant, event.subject, event.correlation, event.payload,
                             event.id, event.ts_ms});
    }
  };
  return subsystems_->open_store(folder_ / "patchbay.db", std::move(options));
}

Status Environment::register_store(const std::string& id, const std::string& sql) {
  if (sql.empty() || !registered_.insert(id).second) return {};
  return store().register_owner(id, sql);
}

// Waits until the store has done what was asked of it, and has announced it.
void Environment::flush_store() {
  std::promise<void> read;
  store().next_due("", [&](const Result<int64_t>&) { read.set_value(); });
  read.get_future().wait();
  // Commits are announced after they are answered; the answer of the second write comes after the
  // announcements before it.
  for (int i = 0; i < 2; ++i) {
    std::promise<void> written;
    store().prune(0, {}, 0, [&](const Result<core::PruneResult>&) { written.set_value(); });
    written.get_future().wait();
  }
}

void Environment::pump_media() {
  if (clock_ != nullptr) runtime().media().pump();
}

bool Environment::is_idle() const { return runtime().executor().idle() && runtime().workers().idle(); }

Status Environment::settle() {
  const auto deadline = std::chrono::steady_clock::now() + options_.wait;
  for (;;) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0 || !runtime().wait_idle(left)) return not_idle(options_.wait);
    const uint64_t wakeups = runtime().executor().wakeups();
    pump_media();
    flush_store();
    if (!is_idle() || runtime().executor().wakeups() != wakeups) continue;
    idle_at_ = wakeups;
    return {};
  }
}

// The monotonic time of what is due first, at most the target.
int64_t Environment::next_stop(int64_t target_ns) {
  int64_t stop = std::min(target_ns, runtime().media().next_due_ns());
  core::TimerQueue& timers = runtime().timers();
  if (const auto due = timers.next_due(core::TimerClock::mono)) stop = std::min(stop, *due);
  if (const auto due = timers.next_due(core::TimerClock::wall)) {
    const int64_t ms_left = *due - clock_->now_ms();
    if (ms_left <= (target_ns - clock_->now_ns()) / 1'000'000)
      stop = std::min(stop, clock_->now_ns() + ms_left * 1'000'000);
  }
  return std::max(stop, clock_->now_ns());
}

Status Environment::advance(int64_t ms) {
  if (!clock_) return {Code::unsupported, "the clocks of this host run by themselves"};
  PB_TRY(settle());
  const int64_t target = clock_->now_ns() + std::max<int64_t>(ms, 0) * 1'000'000;
  for (;;) {
    pump_media();
    const int64_t stop = next_stop(target);
    clock_->advance(std::chrono::nanoseconds(stop - clock_->now_ns()));
    pump_media();
    // Most ticks wake no strand, and then there is nothing to wait for.
    if (!is_idle() || runtime().executor().wakeups() != idle_at_) PB_TRY(settle());
    if (stop >= target && next_stop(target + 1) > target) return {};
  }
}

Status Environment::set_wall(int64_t wall_ms) {
  if (!clock_) return {Code::unsupported, "the clocks of this host run by themselves"};
  clock_->set_wall(wall_ms);
  return settle();
}

void Environment::on_media(core::CallFn fn, void* user) {
  if (clock_) {
    runtime().media().pump(fn, user);
    return;
  }
  struct Once {
    core::CallFn fn;
    void* user;
    std::atomic<bool> ran{false};
    std::promise<void> over;
  } once{fn, user, {}, {}};
  core::MediaLoop& loop = runtime().media().at(0);
  const auto id = loop.attach(
      [](void* self, uint64_t, int64_t) {
        auto& it = *static_cast<Once*>(self);
        if (!it.ran.exchange(true)) it.fn(it.user);
      },
      &once);
  while (!once.ran) std::this_thread::sleep_for(milliseconds(1));
  static_cast<void>(loop.detach(
      id, nullptr, [](void* self) { static_cast<Once*>(self)->over.set_value(); }, &once));
  once.over.get_future().wait();
}

Result<core::Rows> Environment::sql(std::string_view statement, const core::Values& values) {
  if (postgres_) return postgres_->run(statement, values);
  const auto clock = std::make_shared<const core::Clock>([this] { return runtime().wall_clock().now_ms(); });
  PB_TRY_VALUE(const core::Database db,
               core::Database::open(folder_ / "patchbay.db", core::Database::Mode::write, clock));
  PB_TRY_VALUE(core::PreparedStatement compiled,
               core::PreparedStatement::prepare(db, statement, static_cast<int>(values.size())));
  core::Rows rows;
  PB_TRY(compiled.run(db, values, &rows, size_t{64} << 20));
  return rows;
}

}  // namespace patchbay::fake
