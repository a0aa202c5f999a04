// UserCall: one call to a user: rings all contacts at once, connects the first that answers, and stops the
// others. Implements the leg of Telephony::dial_user. Main strand.
#pragma once

#include <patchbay/end_watch.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/telephony.h>
#include <patchbay/strand.h>

#include <memory>
#include <string>
#include <vector>

#include "users/contact_directory.h"

namespace patchbay::sip_trunk {

class UserCall {
 public:
  // Calls on_closed() last. Construct it in the method that dials, because the calling plugin owns the call,
  // as its listener does. `host` outlives this.
  UserCall(const Host& host, telephony::DialUser request, std::vector<ContactDirectory::Entry> contacts,
           Function<void()> on_closed);
  ~UserCall();

  Handle handle() { return service_.handle(); }
  void start();

 private:
  struct Fork;

  void provide();
  void ring(Fork& fork, int64_t number);
  void on_progress(const telephony::Progress& progress);
  void on_answered(Fork& fork, const telephony::Answered& answered);
  void on_ended(Fork& fork, const telephony::Ended& ended);
  void on_owner_ended();
  void hangup(const std::string& reason);
  void stop_others(const Fork* winner, const telephony::Hangup& why);
  void close(const telephony::Ended& ended);

  // borrowed
  const Host& host_;
  // owned
  const telephony::DialUser request_;
  const Log log_;
  Function<void()> on_closed_;
  Provision<telephony::Leg> service_;
  Lease<telephony::LegListener> listener_;
  std::vector<std::unique_ptr<Fork>> forks_;
  Timer timeout_;
  EndWatch listener_watch_;
  EndWatch dialler_watch_;
  // state
  Fork* winner_ = nullptr;  // of forks_
  int64_t started_ns_ = 0;
  bool rings_ = false;
  bool closed_ = false;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
