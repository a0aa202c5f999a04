// The plugin's life in every order that a server may lead it.
#include <utility>

#include "validate/harness.h"

namespace patchbay::app::validate {
namespace {

Outcome failed(const char* what, const Status& status) {
  return {std::string(what) + ": " + status.error().text, cure_of(status)};
}

// Each word of the orders below; "" is a fresh rig.
Status act(Rig& rig, const std::string& word) {
  if (word == "create") return rig.step(PB_STEP_CREATE);
  if (word == "start") return rig.step(PB_STEP_START);
  if (word == "drain") return rig.step(PB_STEP_DRAIN);
  if (word == "stop") return rig.step(PB_STEP_STOP);
  if (word == "destroy") return rig.step(PB_STEP_DESTROY);
  if (word == "settle") return rig.settle();
  if (word == "ask") {
    // `patchbay check` does so. It may say no, but in a sentence.
    const Status asked = rig.step(PB_STEP_CHECK_CONFIG);
    return wordless(asked) && asked.error().code != Code::unsupported ? asked : Status();
  }
  if (word == "wait") return rig.advance_ms(2000);
  // A plugin may say no to a reload; then nothing is told to it.
  if (!rig.step(PB_STEP_CHECK_CONFIG)) return {};
  return rig.step(PB_STEP_RECONFIGURE);
}

Outcome lead(const Run& run, const std::vector<std::string>& order) {
  Rig rig(run, run.entry);
  for (const std::string& word : order)
    if (const Status done = act(rig, word); !done) return failed(word.c_str(), done);
  static_cast<void>(rig.settle());
  return first_problem(rig);
}

// Two at once, each on a host of its own: what they share are static variables.
Outcome lead_two(const Run& run) {
  Rig one(run, run.entry);
  Rig other(run, run.entry);
  if (const Status begun = one.begin(); !begun) return failed("the first", begun);
  const Status second = other.begin();  // it may refuse: its port is taken
  if (!second && second.error().code == Code::timeout) return failed("the second", second);
  if (const Status ended = one.end(); !ended) return failed("the first", ended);
  static_cast<void>(other.settle());
  if (const Status ended = second ? other.end() : Status(); !ended) return failed("the second", ended);
  Outcome outcome = first_problem(one);
  return outcome.passed() ? first_problem(other) : outcome;
}

// Nobody of whom it knows is there, or all refuse: it may refuse to start, in a sentence, and is then
// destroyed.
Outcome lead_alone(const Run& run, bool stand_ins) {
  Rig::Options options;
  options.stand_ins = stand_ins;
  options.stand_ins_refuse = true;
  Rig rig(run, run.entry, options);
  if (const Status begun = rig.begin(); !begun) {
    if (wordless(begun)) return {"it refused to start without a word", "say why in the error"};
    return first_problem(rig);
  }
  static_cast<void>(rig.advance_ms(2000));
  if (const Status ended = rig.end(); !ended) return failed("stop", ended);
  return first_problem(rig);
}

Step in_order(std::string name, std::vector<std::string> order) {
  return {"life: " + std::move(name),
          [order = std::move(order)](const Run& run) { return lead(run, order); }};
}

}  // namespace

std::vector<Step> life_steps() {
  return {
      in_order("create and destroy", {"create", "destroy"}),
      in_order("asked before it starts", {"create", "ask", "destroy"}),
      in_order("start and stop", {"create", "start", "settle", "wait", "stop", "destroy"}),
      in_order("stop at once", {"create", "start", "stop", "destroy"}),
      in_order("drain before stop", {"create", "start", "settle", "drain", "stop", "destroy"}),
      in_order("drain twice", {"create", "start", "drain", "wait", "drain", "stop", "destroy"}),
      in_order("reload", {"create", "start", "settle", "reload", "reload", "wait", "stop", "destroy"}),
      in_order("start again, fresh",
               {"create", "start", "wait", "stop", "destroy", "create", "start", "wait", "stop", "destroy"}),
      {"life: two at once", &lead_two},
      {"life: without the services it knows", [](const Run& run) { return lead_alone(run, false); }},
      {"life: with services that refuse", [](const Run& run) { return lead_alone(run, true); }},
  };
}

}  // namespace patchbay::app::validate
