#include <patchbay/bus.h>
#include <patchbay/plugin.h>

#include <cstdio>
#include <optional>

namespace {

using namespace patchbay;

// Events arrive on the main strand, which must not block, so a worker writes them, one batch at a time.
// Events that arrive meanwhile wait for the next batch.
class EventLog final : public Plugin {
  Status start(const Config& config) override {
    file_ = config.plugin().text("file", "events.jsonl");
    PB_TRY_VALUE(events_, Subscription::open(host(), config.plugin().text("topics", "*"),
                                             [this](const Event& event) { take(event); }));
    return {};
  }
  void stop(Done done) override {
    events_ = {};
    stopped_.emplace(std::move(done));
    write();
    if (!writing_) (*stopped_)();
  }

  void take(const Event& event) {
    if (waiting_.size() > kMaxWaitingBytes) return lost_.add();
    JsonWriter line;
    line.object().member("timeMs", event.time_ms()).member("topic", event.topic());
    line.member("tenant", event.tenant()).member("subject", event.subject());
    line.key("data").raw(event.payload().empty() ? "null" : event.payload()).end();
    waiting_ += line.str() + "\n";
    write();
  }
  void write() {
    if (writing_ || waiting_.empty()) return;
    batch_.swap(waiting_);
    waiting_.clear();
    writing_ = post_worker(host(), [this] {
                 const bool written = append();
                 post(host(), kMainStrand, [this, written] { went(written); });
               }).ok();
    if (!writing_) batch_.swap(waiting_);  // no worker is free: try again with the next event
  }
  bool append() const {
    std::FILE* file = std::fopen(file_.c_str(), "ae");
    if (file == nullptr) return false;
    const bool whole = std::fwrite(batch_.data(), 1, batch_.size(), file) == batch_.size();
    return std::fclose(file) == 0 && whole;
  }
  void went(bool written) {
    writing_ = false;
    if (!written) log().error("events were not written", {{"file", file_}});
    write();
    if (!writing_ && stopped_) (*stopped_)();
  }

  static constexpr size_t kMaxWaitingBytes = 4 << 20;
  std::string file_;
  Subscription events_;
  Metric lost_ =
      Metric::counter(host(), "patchbay_event_log_lost", "Events dropped because the disk was too slow");
  std::string waiting_;
  std::string batch_;  // used by the worker while writing_ is set
  bool writing_ = false;
  std::optional<Done> stopped_;
};

}  // namespace

PATCHBAY_PLUGIN(EventLog)
