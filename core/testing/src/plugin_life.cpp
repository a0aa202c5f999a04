#include "plugin_life.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "abi/text.h"
#include "config_view.h"
#include "plugin_file.h"
#include "runtime/thread_kind.h"

namespace patchbay::fake {
namespace {

using std::chrono::milliseconds;

bool is_whole(const pb_plugin* table) {
  return table != nullptr && table->size >= PB_PLUGIN_FLOOR && table->start != nullptr &&
         table->check_config != nullptr && table->reconfigure != nullptr && table->drain != nullptr &&
         table->stop != nullptr && table->destroy != nullptr;
}

}  // namespace

// One step and its answer.
class PluginLife::Question {
 public:
  Question(WatchedHost& host, const char* what) : host_(host), what_(what) {}

  void answer(int32_t status, const pb_err* err) {
    {
      const std::lock_guard lock(mutex_);
      if (!answer_) {
        answer_ = read_status(status, err);
        condition_.notify_all();
        return;
      }
    }
    host_.world().problem("answered-twice", host_.id(),
                          std::string(what_) + "() called its `done` a second time");
  }
  std::optional<Status> wait(milliseconds limit) {
    std::unique_lock lock(mutex_);
    condition_.wait_for(lock, limit, [this] { return answer_.has_value(); });
    return answer_;
  }
  pb_done done() {
    return {sizeof(pb_done), 0, this, [](void* self, int32_t status, const pb_err* err) noexcept {
              static_cast<Question*>(self)->answer(status, err);
            }};
  }
  WatchedHost& host() noexcept { return host_; }
  const char* what() const noexcept { return what_; }
  // Of `limit`, counted from the beginning.
  milliseconds left_of(milliseconds limit) const {
    const auto passed = std::chrono::steady_clock::now() - begun_;
    return std::max(milliseconds(0), limit - std::chrono::duration_cast<milliseconds>(passed));
  }
  // The callback has come back, whether it has answered or not.
  void returned() noexcept { returned_ = true; }
  bool has_returned() const noexcept { return returned_; }

 private:
  WatchedHost& host_;
  const char* const what_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::atomic<bool> returned_{false};
  std::mutex mutex_;
  std::condition_variable condition_;
  std::optional<Status> answer_;
};

Result<std::unique_ptr<PluginLife>> PluginLife::of(World& world, const pb_entry& entry) {
  PB_TRY(check_entry(entry));
  std::string text = core::string(entry.manifest);
  auto manifest = core::Manifest::parse(text);
  if (!manifest) return std::move(manifest).error().within("its manifest is not valid");
  return std::unique_ptr<PluginLife>(new PluginLife(world, entry, std::move(*manifest), std::move(text)));
}

PluginLife::PluginLife(World& world, const pb_entry& entry, core::Manifest manifest,
                       std::string manifest_text)
    : world_(world),
      entry_(entry),
      manifest_(std::move(manifest)),
      manifest_text_(std::move(manifest_text)) {}

PluginLife::~PluginLife() = default;

Status PluginLife::may_begin(uint32_t step) const {
  if (stuck_) return {Code::misuse, "a step of this plugin never came back"};
  if (!asked_.empty() && !asked_.back()->wait(milliseconds(0)))
    return {Code::misuse, "the step before this one has not been answered"};
  if (step > PB_STEP_DESTROY) return {Code::invalid, "there is no such step"};
  if (step == PB_STEP_CREATE && alive()) return {Code::misuse, "the plugin is there already"};
  if (step != PB_STEP_CREATE && !alive()) return {Code::misuse, "the plugin has not been made"};
  return {};
}

Status PluginLife::begin(uint32_t step, std::string_view plugin, std::string_view tenants) {
  PB_TRY(may_begin(step));
  std::string config;
  if (step == PB_STEP_START || step == PB_STEP_CHECK_CONFIG || step == PB_STEP_RECONFIGURE) {
    PB_TRY_VALUE(config, config_view(manifest_, plugin, tenants, world_.folder()));
  }
  switch (step) {
    case PB_STEP_CREATE:
      return create();
    case PB_STEP_START:
      ask("start", [this, config](const std::shared_ptr<Question>& question) {
        const pb_done done = question->done();
        table_->start(self_, core::text(config), &done);
      });
      break;
    case PB_STEP_CHECK_CONFIG:
      ask("check_config", [this, config](const std::shared_ptr<Question>& question) {
        pb_err err = empty_error();
        const int32_t status = table_->check_config(self_, core::text(config), &err);
        question->answer(status, &err);
      });
      break;
    case PB_STEP_RECONFIGURE:
      ask("reconfigure", [this, config](const std::shared_ptr<Question>& question) {
        table_->reconfigure(self_, core::text(config));
        question->answer(PB_OK, nullptr);
      });
      break;
    case PB_STEP_DRAIN:
      ask_life("drain", &pb_plugin::drain);
      break;
    case PB_STEP_STOP:
      ask_life("stop", &pb_plugin::stop);
      break;
    default:
      return destroy();
  }
  return {};
}

void PluginLife::ask(const char* what, std::function<void(const std::shared_ptr<Question>&)> call) {
  auto question = std::make_shared<Question>(*hosts_.back(), what);
  asked_.push_back(question);
  hosts_.back()->context().main_strand()->post([question, call = std::move(call)] {
    const core::OwnerScope scope(question->host().id().c_str());
    call(question);
    question->returned();
  });
}

void PluginLife::ask_life(const char* what, void (*pb_plugin::*function)(void*, const pb_done*) noexcept) {
  ask(what, [this, function](const std::shared_ptr<Question>& question) {
    const pb_done done = question->done();
    (table_->*function)(self_, &done);
  });
}

std::optional<Status> PluginLife::answer(milliseconds wait) {
  if (asked_.empty()) return Status(Code::misuse, "no step was begun");
  return asked_.back()->wait(wait);
}

Status PluginLife::create() {
  PB_TRY(world_.register_store(manifest_.id, core::string(entry_.store)));
  hosts_.push_back(std::make_unique<WatchedHost>(world_, manifest_.id, false));
  // Waited for: what the plugin is decides which steps may follow.
  ask("create", [this](const std::shared_ptr<Question>& question) {
    pb_err err = empty_error();
    const pb_plugin* table = nullptr;
    void* self = nullptr;
    const int32_t status = entry_.create(hosts_.back()->raw(), &table, &self, &err);
    if (status == PB_OK && !is_whole(table)) {
      const auto code = write_error(&err, Code::invalid, "its table lacks functions or states a wrong size");
      return question->answer(code, &err);
    }
    if (status == PB_OK) {
      table_ = table;
      self_ = self;
    }
    question->answer(status, &err);
  });
  if (answer(world_.options().wait)) return {};
  stuck_ = true;
  return {Code::timeout, "it did not come back from create"};
}

void PluginLife::wait_for_answers() const {
  // Rare and short: only what was under way when the plugin stopped.
  const auto until = std::chrono::steady_clock::now() + world_.options().wait;
  while (hosts_.back()->context().outstanding() > 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(milliseconds(1));
}

// As a server does it: what others see of the plugin goes first, its strand last.
Status PluginLife::destroy() {
  WatchedHost& host = *hosts_.back();
  world_.parts().services.withdraw_all(manifest_.id);
  host.context().cancel_calls();
  wait_for_answers();
  ask("destroy", [this](const std::shared_ptr<Question>& question) {
    table_->destroy(self_);
    question->answer(PB_OK, nullptr);
  });
  if (!answer(world_.options().wait)) {
    stuck_ = true;
    return {Code::timeout, "it did not come back from destroy"};
  }
  self_ = nullptr;
  table_ = nullptr;
  wait_for_answers();
  host.tell_left_behind();
  if (world_.hand_media() != nullptr) world_.hand_media()->pump();
  return close_strand();
}

Status PluginLife::close_strand() {
  auto closed = std::make_shared<Question>(*hosts_.back(), "close");
  asked_.push_back(closed);
  hosts_.back()->context().main_strand()->close(
      [](void* raw) { static_cast<Question*>(raw)->answer(PB_OK, nullptr); }, closed.get());
  if (closed->wait(world_.options().wait)) return {};
  stuck_ = true;
  return {Code::timeout, "its strand did not come to rest"};
}

void PluginLife::end() {
  if (!alive() || stuck_) return;
  // A step that was begun may still be answered, until its time is over. When even its callback has not come
  // back, it holds the strand, and nothing after it would run.
  const std::shared_ptr<Question> last = asked_.back();
  static_cast<void>(last->wait(last->left_of(world_.options().wait)));
  if (!last->has_returned() && !last->wait(milliseconds(0))) {
    stuck_ = true;
    world_.problem("stuck", id(), std::string("it did not come back from ") + last->what() + "()");
    return;
  }
  ask_life("stop", &pb_plugin::stop);
  if (!answer(world_.options().wait)) {
    stuck_ = true;
    world_.problem("stuck", id(), "it did not come back from stop()");
    return;
  }
  const Status destroyed = destroy();
  if (!destroyed) world_.problem("stuck", id(), destroyed.error().text);
}

}  // namespace patchbay::fake
