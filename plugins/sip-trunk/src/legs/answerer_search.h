// AnswererSearch: offers an inbound call to the registered answerers, until one takes or refuses it.
#pragma once

#include <patchbay/function.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/telephony.h>
#include <patchbay/strand.h>

#include <string>
#include <vector>

namespace patchbay::sip_trunk {

struct RegisteredAnswerer {
  std::string name;
  Handle instance;
  int64_t priority = 0;
};

// Main strand.
class AnswererSearch {
 public:
  // Calls done() once, unless cancelled: with the reply of the answerer that takes or refuses the call, or
  // with an empty one when none does. The log outlives this.
  AnswererSearch(const Host& host, const Log& log, Function<void(const telephony::Taken&)> done);

  // Asks the answerers one by one. Call it once.
  void start(std::vector<RegisteredAnswerer> answerers, telephony::Offer call);
  // done() is not called any more.
  void cancel();

 private:
  void ask(size_t index);
  void on_reply(size_t index, const Result<telephony::Taken>& reply);
  void ask_next(size_t index);
  void finish(const telephony::Taken& taken);

  // borrowed
  const Host& host_;
  const Log& log_;
  // owned
  const Function<void(const telephony::Taken&)> done_;
  std::vector<RegisteredAnswerer> answerers_;
  telephony::Offer call_;
  Lease<telephony::Answerer> answerer_;
  Timer timeout_;
  // state
  bool is_over_ = false;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
