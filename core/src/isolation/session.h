// Session: one child and all that it has in the server. Begins with a process and ends when the process has
// ended: by then everything is closed that the child held, and everything answered that was asked of it.
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
  // Calls `on_end` once, last: why the process ended, or nothing if it left as commanded. It may destroy the
  // session.
  static Result<std::unique_ptr<Session>> begin(HostContext& context, const Host& host,
                                                InterfaceShare& interfaces, ChildCommand command,
                                                Function<void(Status how)> on_end);
  // After on_end, or before the process was started.
  ~Session();

  // Life of the plugin: start or make, check, reconfigure, pass, alive, drain or stop. Calls `answer` once,
  // with why the process ended if it ends first.
  void command(Kind kind, std::string_view config, Function<void(Status)> answer);
  // Kills the process; the first `why` becomes the reason of on_end (Status(): it is no fault).
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
