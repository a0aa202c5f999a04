#include "delivery_routes.h"

#include <utility>

#include "route_schemas.h"
#include "subscription_json.h"
#include "subscription_routes.h"

namespace patchbay::webhooks {

DeliveryRoutes::DeliveryRoutes(const Host& host, SubscriptionRegistry& registry, FanOut& fan_out,
                               DeliveryQueue& queue)
    : host_(host),
      registry_(registry),
      fan_out_(fan_out),
      queue_(queue),
      count_(Statement::find(host, "deliveries-count")),
      list_(Statement::find(host, "deliveries-list")),
      resend_(Statement::find(host, "delivery-resend")),
      trail_(host),
      routes_(host) {
  add(webhook_route("POST", "/{id}/test", "Sends webhook.test to the receiver, also when paused"),
      sent_schema(), &DeliveryRoutes::test);
  http::Route list =
      webhook_route("GET", "/{id}/deliveries", "Lists the deliveries of a subscription, newest first");
  list.list = true;
  list.query_schema = R"({"type":"object","properties":{)" + std::string(lib::kCursorSchema) + "}}";
  add(std::move(list), delivery_schema(), &DeliveryRoutes::list);
  add(webhook_route("POST", "/{id}/deliveries/{deliveryId}/resend",
                    "Sends an ended delivery again, from attempt 1"),
      sent_schema(), &DeliveryRoutes::resend);
}

void DeliveryRoutes::add(http::Route route, std::string reply_schema, Handle handle) {
  route.reply_schema = std::move(reply_schema);
  routes_.add(std::move(route), [this, handle](const http::Request& request, Reply reply) {
    (this->*handle)(request, std::move(reply));
  });
}

Subscription* DeliveryRoutes::find(const http::Request& request) {
  return registry_.find(request.params.text("id"), request.tenant);
}

void DeliveryRoutes::test(const http::Request& request, Reply reply) {
  const Subscription* subscription = find(request);
  if (subscription == nullptr) return reply(no_such_subscription());
  fan_out_.test(*subscription, audit::record_of(request, "webhook.tested", subscription->id, "", ""),
                [reply = std::move(reply)](const Result<std::string>& id) mutable {
                  if (!id) return reply(id.error());
                  JsonWriter body;
                  body.object().member("ok", true).member("deliveryId", *id).end();
                  reply(http::ok(std::move(body).str()));
                });
}

void DeliveryRoutes::list(const http::Request& request, Reply reply) {
  const Subscription* subscription = find(request);
  if (subscription == nullptr) return reply(no_such_subscription());
  auto after = lib::read_page_cursor(request.query.text("cursor"));
  if (!after) return reply(http::error(400, "invalid_request", after.error().text));
  query(host_, count_, {subscription->id, subscription->tenant},
        alive_.bind([this, request, id = subscription->id, after = *std::move(after),
                     reply = std::move(reply)](const Result<Rows>& rows) mutable {
          if (!rows) return reply(rows.error());
          list_page(id, request, after, rows->integer(0, 0), std::move(reply));
        }));
}

void DeliveryRoutes::list_page(const std::string& id, const http::Request& request,
                               const lib::PagePosition& after, int64_t total, Reply reply) {
  const int64_t read = lib::rows_to_read(after, request.limit);
  const int64_t skipped = after.is_begin() ? request.offset : 0;
  query(host_, list_, {id, request.tenant, read, skipped, after.time_ms, after.id},
        [total, after, limit = request.limit, offset = request.offset,
         reply = std::move(reply)](const Result<Rows>& rows) mutable {
          if (!rows) return reply(rows.error());
          const auto end = lib::page_end(after, rows->size(), limit, offset, total);
          JsonWriter body;
          body.object().key("data").array();
          for (size_t i = 0; i < end.count; ++i) write_delivery(body, *rows, i);
          body.end().end();
          http::Response response = http::ok(std::move(body).str());
          response.total = total;
          if (end.has_next) response.next_cursor = lib::page_cursor(delivery_position(*rows, end.count - 1));
          reply(std::move(response));
        });
}

void DeliveryRoutes::resend(const http::Request& request, Reply reply) {
  const Subscription* subscription = find(request);
  if (subscription == nullptr) return reply(no_such_subscription());
  const std::string delivery = std::string(request.params.text("deliveryId"));
  Transaction tx(host_);
  tx.exec(resend_, {delivery, subscription->id, host_.wall_ms(), subscription->tenant}, 1);
  trail_.commit(std::move(tx),
                audit::record_of(request, "webhook.resent", subscription->id, "", audited_delivery(delivery)),
                alive_.bind([this, id = subscription->id, delivery,
                             reply = std::move(reply)](const Commit& outcome) mutable {
                  if (!outcome && outcome.code() == Code::conflict)
                    return reply(http::error(404, "not_found", "no such delivery, or it has not ended yet"));
                  if (!outcome) return reply(outcome.error());
                  queue_.wake(id);
                  JsonWriter body;
                  body.object().member("ok", true).member("deliveryId", delivery).end();
                  reply(http::ok(std::move(body).str()));
                }));
}

}  // namespace patchbay::webhooks
