// A request in flight: a libcurl handle and the state of its callbacks.
#pragma once

#include <curl/curl.h>

#include <memory>

#include "http_sender.h"

namespace patchbay::webhooks {

// Used on the sender's thread only.
class CurlTransfer {
 public:
  CurlTransfer(Post post, HttpSender::Done done, const HttpSender::Limits& limits);

  // False: out of memory.
  bool prepare();
  CURL* easy() const noexcept { return easy_.get(); }
  void complete(CURLcode code);

 private:
  bool set_headers();
  void set_address_checks();
  Outcome outcome(CURLcode code) const;

  static size_t on_head(char* data, size_t size, size_t count, void* self);
  static size_t on_body(char* data, size_t size, size_t count, void* self);
  static curl_socket_t on_open_socket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int on_connected(void* self, char* peer, char* own, int peer_port, int own_port);

  struct FreeEasy {
    void operator()(CURL* easy) const noexcept { curl_easy_cleanup(easy); }
  };
  struct FreeList {
    void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
  };

  // owned
  const Post post_;
  HttpSender::Done done_;
  const HttpSender::Limits limits_;
  std::unique_ptr<curl_slist, FreeList> headers_;
  std::unique_ptr<CURL, FreeEasy> easy_;
  // state
  size_t read_ = 0;         // bytes of the response
  bool head_done_ = false;  // the head of the final response is complete
  bool refused_ = false;    // an address was not public
};

}  // namespace patchbay::webhooks
