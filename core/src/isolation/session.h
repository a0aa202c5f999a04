// Session: one child and all that it has in the server. Begins with the process and ends with it: by then all
// objects of the child are closed, and all commands and calls to it are answered.
#pragma once

#include <patchbay/host.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isolation/child_process.h"
#include "isolation/session_dispatcher.h"

namespace patchbay::core::isolation {

// On the plugin's main strand.
class Session {
 public:
  // Calls `on_end` once, last, with the reason why the process ended; no error if it exited as commanded. It
  // may destroy the session.
  static Result<std::unique_ptr<Session>> begin(HostContext& context, const Host& host,
                                                InterfaceShare& interfaces, ChildCommand command,
                                                Function<void(Status how)> on_end);
  // After on_end, or before the process was started.
  ~Session();

  // Commands the plugin: start or create, check, reconfigure, flush, ping, drain or stop. Calls `answer`
  // once, with the reason if the process ends first.
  void command(Kind kind, std::string_view config, Function<void(Status)> answer);
  // Kills the process; the first `why` becomes the argument of on_end (Status(): not an error).
  void kill(Status why);

 private:
  Session(HostContext& context, const Host& host, InterfaceShare& interfaces,
          Function<void(Status how)> on_end);
  void take(const std::string& frame, Descriptor fd);
  // False: the frame is invalid.
  bool dispatch(Kind kind, Decoder& in, Descriptor fd);
  bool answered(Kind kind, Decoder& in);
  void ended(Status how);

  // borrowed
  const Host& host_;
  // owned
  Function<void(Status how)> on_end_;
  SessionDispatcher tables_;
  std::unique_ptr<ChildProcess> process_;
  // state
  std::map<Kind, std::vector<Function<void(Status)>>> waiting_;  // by the kind of their answer
  std::optional<Status> verdict_;                                // why it was killed
};

}  // namespace patchbay::core::isolation
