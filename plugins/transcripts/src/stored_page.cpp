#include "stored_page.h"

#include <utility>

namespace patchbay::transcripts {
namespace {

struct WantedPage {
  Values values;
  lib::PagePosition after;
  int64_t limit, offset;
};

void reply_items(const Host& host, const StoredList& list, const WantedPage& wanted, int64_t total,
                 Reply<http::Response> reply) {
  query_json(host, list.list, wanted.values, list.members,
             [&list, total, after = wanted.after, limit = wanted.limit, offset = wanted.offset,
              reply = std::move(reply)](Result<JsonRows> items) mutable {
               if (!items) return reply(items.error());
               const auto end = lib::page_end(after, items->count, limit, offset, total);
               auto page = lib::json_page(std::move(items->text), end, items->count, list.cursor);
               http::Response response;
               response.bytes = std::move(page.items);
               response.total = total;
               response.next_cursor = std::move(page.next_cursor);
               reply(std::move(response));
             });
}

}  // namespace

void reply_page(const Host& host, const StoredList& list, Values filter, const http::Request& request,
                Reply<http::Response> reply) {
  auto after = lib::read_page_cursor(request.query.text("cursor"));
  if (!after) return reply(http::error(400, "invalid_request", after.error().text));
  WantedPage wanted{filter, *std::move(after), request.limit, request.offset};
  const bool is_first = wanted.after.is_begin();
  wanted.values.insert(wanted.values.end(),
                       {lib::rows_to_read(wanted.after, request.limit), is_first ? request.offset : 0,
                        wanted.after.time_ms, wanted.after.id});
  query_number(host, list.count, filter,
               [&host, &list, wanted = std::move(wanted),
                reply = std::move(reply)](const Result<int64_t>& total) mutable {
                 if (!total) return reply(total.error());
                 reply_items(host, list, wanted, *total, std::move(reply));
               });
}

}  // namespace patchbay::transcripts
