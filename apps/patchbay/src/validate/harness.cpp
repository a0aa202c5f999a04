#include "validate/harness.h"

#include <patchbay/services/audio.h>
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
constexpr int64_t kStallMs = 15'000;  // a busy machine is no fault of the plugin
constexpr int64_t kLookMs = 100;

testing::Options options_of() {
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
void provide_stand_in(testing::TestEnvironment& world, const core::Manifest& manifest, bool refuse) {
  if (std::count(manifest.provides.begin(), manifest.provides.end(), I::id) > 0) return;
  static_cast<void>(world.provide<I>([refuse](Provision<I>& provision) {
    std::apply([&](auto... method) { (stand_in(provision, method, refuse), ...); }, I::methods());
  }));
}

}  // namespace

Rig::Rig(const Run& run, const pb_entry& entry, Options options) : TestEnvironment(options_of()), run_(run) {
  pb_err err = empty_error();
  plugin_ = patchbay_testing_v1.link(raw(), &entry, &err);
  if (plugin_ == 0) throw std::runtime_error(err.text);
  if (options.stand_ins) provide_stand_ins(options.stand_ins_refuse);
}

void Rig::provide_stand_ins(bool refuse) {
  const core::Manifest& manifest = run_.subject.manifest;
  provide_stand_in<audio::Audio>(*this, manifest, refuse);
  provide_stand_in<auth::Auth>(*this, manifest, refuse);
  provide_stand_in<engine::EngineRegistry>(*this, manifest, refuse);
  provide_stand_in<whitelist::Whitelist>(*this, manifest, refuse);
  provide_stand_in<http::Http>(*this, manifest, refuse);
  provide_stand_in<telephony::Telephony>(*this, manifest, refuse);
  provide_stand_in<transcripts::Transcripts>(*this, manifest, refuse);
}

Status Rig::step(uint32_t which) { return step(which, run_.subject.config); }

Status Rig::step(uint32_t which, const std::string& config) {
  static constexpr const char* kNames[] = {"create", "start", "check_config", "reconfigure",
                                           "drain",  "stop",  "destroy"};
  run_.note(kNames[which]);
  const pb_testing_config raw{sizeof raw, 0, to_abi(config), to_abi(run_.subject.tenants)};
  pb_err err = empty_error();
  const int32_t begun = patchbay_testing_v1.begin(this->raw(), plugin_, which, &raw, &err);
  if (begun != PB_OK) return read_error(begun, &err);
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(kWaitMs);
  int32_t status = PB_OK;
  while (patchbay_testing_v1.answer(this->raw(), plugin_, kLookMs, &status, &err) == 0) {
    if (std::chrono::steady_clock::now() > until)
      return {Code::timeout, std::string("it did not come back from ") + kNames[which]};
    static_cast<void>(advance_ms(kLookMs));
  }
  return status == PB_OK ? Status() : Status(read_error(status, &err));
}

Status Rig::begin() {
  PB_TRY(step(PB_STEP_CREATE));
  Status started = step(PB_STEP_START);
  if (!started) static_cast<void>(step(PB_STEP_DESTROY));
  return started;
}

Status Rig::end() {
  PB_TRY(step(PB_STEP_STOP));
  return step(PB_STEP_DESTROY);
}

const char* cure_of(const Status& status) {
  if (status.error().code == Code::timeout ||
      status.error().text.find("did not come back") != std::string::npos)
    return "call `done` in every case, and wait for nothing on a strand";
  if (status.error().text.find("exception") != std::string::npos)
    return "catch what your code throws and return an error";
  return "say in --config and --tenants what it needs to start, as in the server's configuration";
}

bool wordless(const Status& status) {
  return !status && (status.error().text.empty() || status.error().text == code_name(status.error().code));
}

Outcome first_problem(const testing::TestEnvironment& world) {
  static const std::map<std::string, const char*> cures{
      {"media-thread", "talk from a media loop by atomics, or post to a strand"},
      {"dead-handle", "give each thing back once: members of the SDK's types do"},
      {"left-behind", "end in stop(), or in destructors, what start() began"},
      {"answered-twice", "call `done` once"},
      {"thrown", "catch what your code throws and return an error"},
      {"stalled", "move what blocks to a worker"},
      {"stuck", "call `done` in every case, and wait for nothing on a strand"}};
  const auto problems = world.problems();
  if (problems.empty()) return {};
  const auto cure = cures.find(problems.front().name);
  return {problems.front().name + ": " + problems.front().text,
          cure != cures.end() ? cure->second : "see sdk/README.md, Threads and Ownership"};
}

}  // namespace patchbay::app::validate
