#include <patchbay/plugin.h>
#include <patchbay/services/dial_gate.h>

#include <map>

namespace {

using namespace patchbay;

struct Quiet {
  std::string prefix;
  int64_t from_min = 0;  // minute of the day
  int64_t to_min = 0;    // the same; before from_min: on the next day
};

int64_t minutes(std::string_view clock) {  // "07:30"; the schema has checked the form
  return ((clock[0] - '0') * 10 + clock[1] - '0') * 60 + (clock[3] - '0') * 10 + clock[4] - '0';
}

bool within(const Quiet& quiet, int64_t now_min) {
  if (quiet.from_min <= quiet.to_min) return now_min >= quiet.from_min && now_min < quiet.to_min;
  return now_min >= quiet.from_min || now_min < quiet.to_min;
}

class DialHours final : public Plugin {
  Status start(const Config& config) override {
    reconfigure(config);
    return {};
  }
  Status check_config(const Config&) override { return {}; }  // accepts all that the schema allows
  void reconfigure(const Config& config) override {
    quiet_.clear();
    for (const Config::Tenant& tenant : config.tenants()) {
      const JsonView list = tenant.section["quiet"];
      for (size_t i = 0; i < list.size(); ++i) {
        const JsonView each = list.at(i);
        quiet_[std::string(tenant.host)].push_back({std::string(each.text("prefix", "+")),
                                                    minutes(each.text("from", "00:00")),
                                                    minutes(each.text("to", "00:00"))});
      }
    }
  }

  telephony::Verdict decide(const telephony::Check& check) {
    const int64_t now_min = host().wall_ms() / 60'000 % (24 * 60);
    for (const Quiet& quiet : quiet_[check.tenant]) {
      if (check.number.rfind(quiet.prefix, 0) != 0 || !within(quiet, now_min)) continue;
      log().with(check.correlation).info("a dial at quiet hours", {{"call", check.call_id}});
      return {false, "not at this hour"};
    }
    return {true, ""};
  }

  std::map<std::string, std::vector<Quiet>> quiet_;  // by tenant
  telephony::DialGateRegistration gate_{
      host(), "dial-hours",
      [this](const telephony::Check& check) -> Result<telephony::Verdict> { return decide(check); }};
};

}  // namespace

PATCHBAY_PLUGIN(DialHours)
