#include "callee.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <sstream>

namespace kills {

using namespace std::chrono_literals;

namespace {

int bind_udp(uint16_t& port) {
  const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  (void)::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address));
  socklen_t size = sizeof(address);
  (void)::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  port = ntohs(address.sin_port);
  return fd;
}

}  // namespace

struct Callee::Message {
  explicit Message(std::string whole) : text(std::move(whole)) {
    std::istringstream lines(text);
    std::getline(lines, first);
    for (std::string line; std::getline(lines, line) && line.size() > 1;) {
      if (line.back() == '\r') line.pop_back();
      const size_t colon = line.find(": ");
      if (colon == std::string::npos) continue;
      const std::string name = line.substr(0, colon);
      if (name == "Via") vias += line + "\r\n";
      headers.emplace(name, line.substr(colon + 2));
    }
  }
  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
  bool is(const char* method) const { return first.rfind(std::string(method) + " ", 0) == 0; }
  std::string branch() const {
    const size_t at = vias.find("branch=");
    return at == std::string::npos ? "" : vias.substr(at, vias.find_first_of(";\r,", at) - at);
  }
  // The last digit of the number that was called.
  char digit() const {
    const size_t at = first.find('@');
    return at == std::string::npos || at == 0 ? '0' : first[at - 1];
  }
  std::string response(const std::string& status, const std::string& more = "\r\n",
                       const std::string& extra = "") const {
    std::string to = header("To");
    if (to.find(";tag=") == std::string::npos) to += ";tag=callee";
    return "SIP/2.0 " + status + "\r\n" + vias + "From: " + header("From") + "\r\nTo: " + to +
           "\r\nCall-ID: " + header("Call-ID") + "\r\nCSeq: " + header("CSeq") + "\r\n" + extra +
           "Content-Length: " + std::to_string(more.size() - 2) + "\r\n" + more;
  }

  std::string text, first, vias;
  std::map<std::string, std::string> headers;
};

Callee::Callee() : socket_(bind_udp(port_)), media_(bind_udp(media_port_)) {
  thread_ = std::thread([this] { run(); });
}

Callee::~Callee() {
  stopping_ = true;
  thread_.join();
  ::close(socket_);
  ::close(media_);
}

std::map<std::string, size_t> Callee::dials() const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, size_t> counts;
  for (const auto& [call, branches] : dials_) counts[call.substr(0, call.find('@'))] += branches.size();
  return counts;
}

std::set<std::string> Callee::hung_up() const {
  const std::lock_guard lock(mutex_);
  std::set<std::string> calls;
  for (const std::string& call : hung_up_) calls.insert(call.substr(0, call.find('@')));
  return calls;
}

void Callee::run() {
  while (!stopping_) {
    pollfd ready{socket_, POLLIN, 0};
    if (::poll(&ready, 1, 10) == 1) receive();
    send_due();
  }
}

void Callee::receive() {
  char buffer[65536];
  sockaddr_in from{};
  socklen_t size = sizeof(from);
  const ssize_t read =
      ::recvfrom(socket_, buffer, sizeof(buffer), 0, reinterpret_cast<sockaddr*>(&from), &size);
  if (read <= 0) return;
  peer_.assign(reinterpret_cast<const char*>(&from), sizeof(from));
  handle(Message(std::string(buffer, static_cast<size_t>(read))));
}

void Callee::handle(const Message& message) {
  const std::string call = message.header("Call-ID");
  peers_[call] = peer_;
  if (message.is("INVITE")) return invite(message);
  if (message.is("ACK")) {
    acknowledged_.insert(call);
    return;
  }
  if (message.is("BYE")) {
    ended_.insert(call);
    {
      const std::lock_guard lock(mutex_);
      hung_up_.insert(call);
    }
    return send(message.response("200 OK"));
  }
  if (message.is("CANCEL")) {
    send(message.response("200 OK"));
    if (acknowledged_.count(call) != 0 || last_response_[call].rfind("SIP/2.0 180", 0) != 0) return;
    last_response_[call] = Message(invites_[call]).response("487 Request Terminated");
    return send(last_response_[call]);
  }
  if (message.is("OPTIONS")) send(message.response("200 OK"));
}

void Callee::invite(const Message& message) {
  const std::string call = message.header("Call-ID");
  {
    const std::lock_guard lock(mutex_);
    dials_[call].insert(message.branch());
  }
  if (!invites_.emplace(call, message.text).second) return send(last_response_[call]);
  switch (message.digit()) {
    case '6':
      last_response_[call] = message.response("486 Busy Here");
      break;
    case '7':
      last_response_[call] = message.response("503 Service Unavailable");
      break;
    case '8':
    case '9':
      last_response_[call] = message.response("180 Ringing");
      break;
    default:
      return answer(message, call);
  }
  send(last_response_[call]);
}

void Callee::answer(const Message& message, const std::string& call) {
  const std::string contact = "Contact: <sip:callee@127.0.0.1:" + std::to_string(port_) + ">\r\n";
  send(message.response("180 Ringing", "\r\n", contact));
  const std::string sdp =
      "v=0\r\no=callee 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio " +
      std::to_string(media_port_) + " RTP/AVP 0\r\na=sendrecv\r\n";
  const std::string ok =
      message.response("200 OK", "\r\n" + sdp, contact + "Content-Type: application/sdp\r\n");
  last_response_[call] = ok;
  send(ok);
  for (const int ms : {500, 1500, 3500}) later(ms, {call, ok, true});
  if (message.digit() == '5') return;

  std::string target = message.header("Contact");
  target = target.substr(target.find('<') + 1);
  target.resize(target.find('>'));
  const std::string bye = "BYE " + target +
                          " SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:" + std::to_string(port_) +
                          ";branch=z9hG4bKbye" + call.substr(0, call.find('@')) +
                          "\r\nMax-Forwards: 70\r\nFrom: " + message.header("To") +
                          ";tag=callee\r\nTo: " + message.header("From") + "\r\nCall-ID: " + call +
                          "\r\nCSeq: 7 BYE\r\nContent-Length: 0\r\n\r\n";
  for (const int again_ms : {0, 500, 1500})
    later(300 + 400 * (message.digit() - '0') + again_ms, {call, bye, false});
}

void Callee::send(const std::string& text) {
  (void)::sendto(socket_, text.data(), text.size(), 0, reinterpret_cast<const sockaddr*>(peer_.data()),
                 static_cast<socklen_t>(peer_.size()));
}

void Callee::later(int after_ms, Later what) {
  later_.emplace(std::chrono::steady_clock::now() + std::chrono::milliseconds(after_ms), std::move(what));
}

void Callee::send_due() {
  const Time now = std::chrono::steady_clock::now();
  while (!later_.empty() && later_.begin()->first <= now) {
    const Later what = later_.begin()->second;
    later_.erase(later_.begin());
    const bool over = ended_.count(what.call) != 0 || (what.until_ack && acknowledged_.count(what.call) != 0);
    if (over) continue;
    peer_ = peers_[what.call];
    send(what.text);
  }
}

}  // namespace kills
