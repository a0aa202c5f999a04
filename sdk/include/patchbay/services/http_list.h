// list_page(): the page that a request asks for, of a list that the plugin has in memory.
//
//   routes_.add(route, [this](const http::Request& request) -> Result<http::Response> {   // route.list =
//   true
//     return http::list_page(rooms_, request, [](JsonWriter& out, const Room& room) {
//       out.object().member("name", room.name).end();
//     });
//   });
#pragma once

#include <cstdint>
#include <utility>

#include "../json.h"
#include "http.h"

namespace patchbay::http {

// [any] `list` is any range; write(JsonWriter&, item) writes one item. Request::limit and offset choose the
// items; the server adds the envelope.
template <class List, class Write>
Response list_page(const List& list, const Request& request, Write write) {
  JsonWriter body;
  body.object().key("data").array();
  int64_t total = 0;
  for (const auto& item : list) {
    const int64_t place = total++;
    if (place >= request.offset && place - request.offset < request.limit) write(body, item);
  }
  body.end().end();
  Response response = ok(std::move(body).str());
  response.total = total;
  return response;
}

}  // namespace patchbay::http
