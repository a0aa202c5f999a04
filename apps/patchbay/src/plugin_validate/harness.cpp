#include "plugin_validate/harness.h"

#include <patchbay/services/audio.h>
#include <patchbay/services/audit.h>
#include <patchbay/services/auth.h>
#include <patchbay/services/engine.h>
#include <patchbay/services/http.h>
#include <patchbay/services/telephony.h>
#include <patchbay/services/transcripts.h>
#include <patchbay/services/whitelist.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <tuple>

namespace patchbay::app::validate {
namespace {

constexpr int64_t kWaitMs = 15'000;
constexpr int64_t kStallMs = 15'000;  // generous, because a busy machine is not the plugin's fault
constexpr int64_t kPollMs = 100;

testing::Options harness_options() {
  testing::Options options;
  options.wait_ms = kWaitMs;
  options.stall_ms = kStallMs;
  return options;
}

template <class I, class M>
void stand_in(Provision<I>& provision, M method, bool refuse) {
  using Request = typename M::Request;
  using Answer = typename M::Reply;
  provision.on(method, [refuse](const Request&) -> patchbay::Result<Answer> {
    if (refuse) return {Code::unavailable, "not now"};
    return Answer{};
  });
}

template <class I>
void provide_stand_in(testing::TestEnvironment& environment, const core::Manifest& manifest, bool refuse) {
  if (std::count(manifest.provides.begin(), manifest.provides.end(), I::id) > 0) return;
  static_cast<void>(environment.provide<I>([refuse](Provision<I>& provision) {
    std::apply([&](auto... method) { (stand_in(provision, method, refuse), ...); }, I::methods());
  }));
}

}  // namespace

Harness::Harness(const StepContext& context, const pb_entry& entry, Options options)
    : TestEnvironment(harness_options()), context_(context) {
  pb_err err = empty_error();
  plugin_ = patchbay_testing_v1.link(raw(), &entry, &err);
  if (plugin_ == 0) throw std::runtime_error(err.text);
  if (options.stand_ins) provide_stand_ins(options.stand_ins_refuse);
}

void Harness::provide_stand_ins(bool refuse) {
  const core::Manifest& manifest = context_.subject.manifest;
  provide_stand_in<audio::Audio>(*this, manifest, refuse);
  provide_stand_in<audit::Audit>(*this, manifest, refuse);
  provide_stand_in<auth::Auth>(*this, manifest, refuse);
  provide_stand_in<engine::EngineRegistry>(*this, manifest, refuse);
  provide_stand_in<whitelist::Whitelist>(*this, manifest, refuse);
  provide_stand_in<http::Http>(*this, manifest, refuse);
  provide_stand_in<telephony::Telephony>(*this, manifest, refuse);
  provide_stand_in<transcripts::Transcripts>(*this, manifest, refuse);
}

Status Harness::step(uint32_t which) { return step(which, context_.subject.config); }

Status Harness::step(uint32_t which, const std::string& config) {
  static constexpr const char* kNames[] = {"create", "start", "check_config", "reconfigure",
                                           "drain",  "stop",  "destroy"};
  context_.note(kNames[which]);
  const pb_testing_config raw{sizeof raw, 0, to_abi(config), to_abi(context_.subject.tenants)};
  pb_err err = empty_error();
  const int32_t begun = patchbay_testing_v1.begin(this->raw(), plugin_, which, &raw, &err);
  if (begun != PB_OK) return read_error(begun, &err);
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(kWaitMs);
  int32_t status = PB_OK;
  while (patchbay_testing_v1.answer(this->raw(), plugin_, kPollMs, &status, &err) == 0) {
    if (std::chrono::steady_clock::now() > until)
      return {Code::timeout, std::string(kNames[which]) + " timed out"};
    static_cast<void>(advance_ms(kPollMs));
  }
  return status == PB_OK ? Status() : Status(read_error(status, &err));
}

Status Harness::create_and_start() {
  PB_TRY(step(PB_STEP_CREATE));
  Status started = step(PB_STEP_START);
  if (!started) static_cast<void>(step(PB_STEP_DESTROY));
  return started;
}

Status Harness::stop_and_destroy() {
  PB_TRY(step(PB_STEP_STOP));
  return step(PB_STEP_DESTROY);
}

const char* fix_for(const Status& status) {
  if (status.error().code == Code::timeout || status.error().text.find("timed out") != std::string::npos)
    return "call `done` in every case, and wait for nothing on a strand";
  if (status.error().text.find("exception") != std::string::npos)
    return "catch what your code throws and return an error";
  return "give the settings that it needs to start in --config and --tenants, as in the server's "
         "configuration";
}

Outcome not_stopped(const Status& status) {
  return {"it does not stop: " + status.error().text,
          "call `done` in every case, also after a function of the host has failed"};
}

bool has_no_message(const Status& status) {
  return !status && (status.error().text.empty() || status.error().text == code_name(status.error().code));
}

Outcome first_problem(const testing::TestEnvironment& environment) {
  static const std::map<std::string, const char*> fixes{
      {"media-thread", "communicate from a media loop through atomics, or post to a strand"},
      {"dead-handle", "close each handle once, as members of the SDK's types do"},
      {"left-behind", "close in stop(), or in destructors, what start() opened"},
      {"answered-twice", "call `done` once"},
      {"thrown", "catch what your code throws and return an error"},
      {"stalled", "move blocking code to a worker"},
      {"stuck", "call `done` in every case, and wait for nothing on a strand"}};
  const auto problems = environment.problems();
  if (problems.empty()) return {};
  const auto fix = fixes.find(problems.front().name);
  return {problems.front().name + ": " + problems.front().text,
          fix != fixes.end() ? fix->second : "see sdk/docs/rules.md, Threads and Ownership"};
}

}  // namespace patchbay::app::validate
