// The plugins of the matrix in a host that is built completely with clang and libc++.
#include <patchbay/testing/fake_host.h>

#include <cstdio>
#include <string>

namespace {

using patchbay::Status;
using patchbay::testing::FakeHost;

std::string why(const Status& status) { return status ? "" : status.error().text; }

// The reference plugin waits in its start for timers and ticks, so the clock must advance.
Status start(FakeHost& host, const char* config) {
  PB_TRY(host.step(PB_STEP_CREATE));
  PB_TRY(host.begin_step(PB_STEP_START, config));
  for (int tries = 0; tries < 1000; ++tries) {
    if (const auto answer = host.step_answer(2)) return *answer;
    PB_TRY(host.advance_ms(20));
  }
  return {patchbay::Code::timeout, "its start was not answered in 20 s of the host's clock"};
}

Status expect(bool holds, const std::string& what) {
  return holds ? Status() : Status(patchbay::Code::failed, what);
}

Status run_lifecycle(const std::string& build) {
  const bool is_c = build.find("c11") != std::string::npos;
  FakeHost host(MATRIX_PLUGINS "/" + build + ".so");
  PB_TRY(start(host, is_c ? "{}" : R"({"word": "moin"})"));
  if (!is_c) {
    PB_TRY(expect(host.get("/reference").body == R"({"word":"moin"})", "its route does not answer"));
    PB_TRY(host.reconfigure(R"({"word": "ahoi"})"));
    PB_TRY(expect(host.get("/reference").body == R"({"word":"ahoi"})", "it did not get its configuration"));
    const Status refused = host.check_config(R"({"word": "bad"})");
    PB_TRY(expect(why(refused) == "word must not be bad", "it does not refuse: " + why(refused)));
  }
  PB_TRY(host.drain());
  PB_TRY(host.stop());
  return expect(host.problem_text().empty(), host.problem_text());
}

}  // namespace

int main() {
  int failed = 0;
  for (const char* build : {"gcc-cxx17", "gcc-cxx20", "gcc-debug", "gcc-c11", "clang-libstdcxx",
                            "clang-libcxx", "clang-libcxx-bare", "clang-c11"}) {
    const Status lived = run_lifecycle(build);
    std::printf("%s: %s\n", build, lived ? "ok" : lived.error().text.c_str());
    failed += lived ? 0 : 1;
  }
  return failed;
}
