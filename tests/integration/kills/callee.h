// Callee: the far end of all calls of the killed servers. Speaks SIP over UDP on loopback, behaves as the
// last digit of the number says, and records each dial that it receives.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace kills {

// Last digit 0 to 4: answers and hangs up after 0.3 to 1.9 s. 5: answers and stays. 6: busy. 7: 503.
// 8, 9: rings for ever.
class Callee {
 public:
  Callee();
  ~Callee();

  uint16_t port() const { return port_; }
  // By "<callId>-<attempt>": the number of INVITEs, without retransmissions.
  std::map<std::string, size_t> dials() const;
  // "<callId>-<attempt>" of the calls that got a BYE.
  std::set<std::string> hung_up() const;

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Message;
  struct Later {
    std::string call;
    std::string text;
    bool until_ack = false;
  };

  void run();
  void receive();
  void handle(const Message& message);
  void invite(const Message& message);
  void answer(const Message& message, const std::string& call);
  void send(const std::string& text);
  void later(int after_ms, Later what);
  void send_due();

  uint16_t port_ = 0, media_port_ = 0;
  int socket_ = -1, media_ = -1;
  std::atomic<bool> stopping_{false};
  // of the thread
  std::string peer_;                                  // sockaddr of the last sender
  std::map<std::string, std::string> invites_;        // the INVITE of each Call-ID
  std::map<std::string, std::string> last_response_;  // to the INVITE, by Call-ID
  std::set<std::string> acknowledged_, ended_;
  std::multimap<Time, Later> later_;
  std::map<std::string, std::string> peers_;  // by Call-ID
  // of all
  mutable std::mutex mutex_;
  std::map<std::string, std::set<std::string>> dials_;  // branches by Call-ID
  std::set<std::string> hung_up_;                       // Call-IDs
  std::thread thread_;
};

}  // namespace kills
