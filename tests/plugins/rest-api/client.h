// A raw HTTP client: sends any octets, valid or not, and reads responses with a timeout.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace rest_api_test {

struct Answer {
  int status = 0;
  std::map<std::string, std::string> headers;  // lower-case names
  std::string body;
};

class Client {
 public:
  explicit Client(uint16_t port);     // connected to 127.0.0.1
  Client(int socket, uint16_t port);  // the same, with a TCP socket that it owns then
  explicit Client(const std::string& unix_path);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  Client(Client&& other) noexcept;

  // False: the server has closed the connection.
  bool send(std::string_view bytes);
  // Nothing on timeout, end of stream or an invalid response. `head_only`: expects no body.
  std::optional<Answer> receive(bool head_only = false);
  // Whether the server closes the connection within the timeout.
  bool is_closed();
  void finish_sending();
  // Closes with a reset.
  void reset();
  void set_receive_buffer(int bytes);
  int fd() const noexcept { return fd_; }
  // Appends to rest(). False: timeout or end of stream.
  bool read_some() { return fill() == Fill::some; }
  // Octets that were received and not parsed.
  const std::string& rest() const noexcept { return buffer_; }

  std::chrono::milliseconds patience{60000};

 private:
  enum class Fill { some, end, late };
  Fill fill();
  int fd_ = -1;
  std::string buffer_;
};

}  // namespace rest_api_test
