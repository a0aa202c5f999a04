#include "stored_page.h"

#include <utility>

namespace patchbay::transcripts {
namespace {

void reply_items(const Host& host, const StoredList& list, const Values& values, int64_t total,
                 Reply<http::Response> reply) {
  query_json(host, list.list, values, list.members,
             [total, reply = std::move(reply)](Result<JsonRows> items) mutable {
               if (!items) return reply(items.error());
               http::Response response;
               response.bytes = std::move(items->text);
               response.total = total;
               reply(std::move(response));
             });
}

}  // namespace

void reply_page(const Host& host, const StoredList& list, Values filter, const http::Request& request,
                Reply<http::Response> reply) {
  Values page = filter;
  page.emplace_back(request.limit);
  page.emplace_back(request.offset);
  query_number(
      host, list.count, filter,
      [&host, &list, page = std::move(page), reply = std::move(reply)](const Result<int64_t>& total) mutable {
        if (!total) return reply(total.error());
        reply_items(host, list, page, *total, std::move(reply));
      });
}

}  // namespace patchbay::transcripts
