// The thread that sofia-sip runs on, and all dialogs. Everything private runs on that thread, save where it
// says otherwise.
#pragma once

#include <patchbay/result.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "dialog.h"
#include "invite.h"
#include "sip_stack.h"
#include "sofia.h"

namespace patchbay::sip_trunk {

class Agent {
 public:
  explicit Agent(SipStack::Options options);
  ~Agent();

  // These five: any thread but the sip thread (hangup there too). See SipStack.
  Status start();
  void stop();
  Result<DialogId> dial(Invite invite, DialogListener& listener);
  void hangup(DialogId id);
  uint16_t port() const noexcept { return port_; }
  size_t live_handles() const noexcept { return live_handles_; }

  // For Dialog, on the sip thread.
  nua_t* nua() noexcept { return nua_; }
  su_root_t* root() noexcept { return root_; }
  std::atomic<size_t>& handle_count() noexcept { return live_handles_; }
  // Deletes the dialog when it has finished; it must not be on the stack then.
  void reap(DialogId id);

 private:
  enum class State { starting, running, failed, stopped };

  void run();
  bool open();
  bool post(std::function<void()> task);
  void drain_tasks();
  void begin_stop();
  void finish_stop();
  void set_state(State state);

  static void on_nua(nua_event_t event, int status, const char* phrase, nua_t* nua, Agent* self,
                     nua_handle_t* handle, Dialog* dialog, const sip_t* sip, tagi_t tags[]);
  static void on_wake(Agent* self, su_msg_r message, su_msg_arg_t* argument);
  static void on_stop_timer(Agent* self, su_timer_t* timer, Dialog* unused);
  void on_stranger(nua_event_t event, int status, nua_handle_t* handle);
  void on_parameters(const tagi_t* tags);

  const SipStack::Options options_;
  std::thread thread_;
  std::mutex stop_mutex_;  // one stop() at a time

  std::mutex mutex_;  // guards the next three
  std::condition_variable changed_;
  State state_ = State::starting;
  std::vector<std::function<void()>> tasks_;

  std::atomic<uint16_t> port_{0};
  std::atomic<size_t> live_handles_{0};
  std::atomic<DialogId> last_id_{0};

  su_root_t* root_ = nullptr;
  nua_t* nua_ = nullptr;
  su_timer_t* stop_timer_ = nullptr;
  bool stopping_ = false;
  std::map<DialogId, std::unique_ptr<Dialog>> dialogs_;
};

}  // namespace patchbay::sip_trunk
