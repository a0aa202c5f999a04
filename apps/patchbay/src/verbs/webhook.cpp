// patchbay webhook: subscribes URLs to events, and manages the subscriptions and their deliveries.
#include <patchbay/percent_encoding.h>

#include <cstdio>
#include <memory>
#include <vector>

#include "json/writer.h"
#include "list_request.h"
#include "list_table.h"
#include "server_verb.h"
#include "terminal_text.h"
#include "verbs.h"

namespace patchbay::app {
namespace {

constexpr const char* kWebhooksPath = "/api.ashx/v1/admin/webhooks";

struct WebhookOptions {
  ServerOptions server;
  std::string id;
  std::string delivery;
  std::string url;
  std::vector<std::string> events;
  std::string secret;
  int limit = kAllRows;
};
using WebhookOptionsPtr = std::shared_ptr<WebhookOptions>;  // shared by the verb's options and its callback

std::string webhook_path(const WebhookOptions& options, const std::string& tail = "") {
  return std::string(kWebhooksPath) + "/" + percent_encode(options.id) + tail;
}

void write_events(core::json::Writer& body, const std::vector<std::string>& events) {
  body.key("events").begin_array();
  for (const std::string& event : events) body.value(std::string_view(event));
  body.end_array();
}

void show_secret(const core::json::Node& made) {
  std::printf("id      %s\nsecret  %s\n", member(made, "id").c_str(), member(made, "secret").c_str());
}

void show_subscription(const core::json::Node& subscription) {
  std::fputs(record_text(subscription).c_str(), stdout);
}

void show_delivery_id(const core::json::Node& answer) {
  std::printf("%s\n", member(answer, "deliveryId").c_str());
}

// Adds a verb for one subscription, ID.
WebhookOptionsPtr add_webhook_id(Verb& verb) {
  auto options = std::make_shared<WebhookOptions>();
  verb.add_option("ID", options->id, "The subscription, as `patchbay webhook list` shows it").required();
  return options;
}

void add_webhook_list(Verb webhook, int& exit_code) {
  Verb verb = webhook.add_verb("list", "List the subscriptions");
  const auto options = std::make_shared<WebhookOptions>();
  add_limit_option(verb, options->limit);
  add_server_options(verb, options->server);
  verb.footer("Examples:\n  patchbay webhook list");
  verb.callback([options, &exit_code] {
    exit_code =
        exchange_list(options->server, kWebhooksPath, {}, options->limit, [](const core::json::Node& list) {
          std::fputs(list_table(list, {{"ID", "id"},
                                       {"URL", "url"},
                                       {"EVENTS", "events"},
                                       {"ACTIVE", "active"},
                                       {"FAILURES", "failures"}})
                         .c_str(),
                     stdout);
        });
  });
}

void add_webhook_show(Verb webhook, int& exit_code) {
  Verb verb = webhook.add_verb("show", "Show one subscription");
  const WebhookOptionsPtr options = add_webhook_id(verb);
  add_server_options(verb, options->server);
  verb.footer("Examples:\n  patchbay webhook show 0123456789abcdef");
  verb.callback([options, &exit_code] {
    exit_code = exchange(options->server, "GET", webhook_path(*options), {}, {}, show_subscription);
  });
}

void add_webhook_create(Verb webhook, const char* name, int& exit_code) {
  Verb verb = webhook.add_verb(name, "Have events posted to a URL; the secret is shown only now");
  const auto options = std::make_shared<WebhookOptions>();
  options->events = {"*"};
  verb.add_option("URL", options->url, "Where to post").required();
  verb.add_option("--events", options->events, "Names of events, separated by commas; * for all")
      .delimiter(',')
      .type_name("NAMES");
  verb.add_option("--secret", options->secret,
                  "Key of the signatures, 16 characters or more; generated if omitted");
  add_server_options(verb, options->server);
  verb.footer(
      "Examples:\n  patchbay webhook create https://crm.example.com/hook --events "
      "outbound-ai.finished,transcript.saved\n"
      "  patchbay webhook create https://crm.example.com/hook --json");
  verb.callback([options, &exit_code] {
    core::json::Writer body;
    body.begin_object().member("url", std::string_view(options->url));
    write_events(body, options->events);
    if (!options->secret.empty()) body.member("secret", std::string_view(options->secret));
    body.end_object();
    exit_code = exchange(options->server, "POST", kWebhooksPath, {}, body.take(), show_secret);
  });
}

void add_webhook_change(Verb webhook, int& exit_code) {
  Verb verb = webhook.add_verb("change", "Change the URL or the events; what is not given stays");
  const WebhookOptionsPtr options = add_webhook_id(verb);
  verb.add_option("--url", options->url, "Where to post");
  verb.add_option("--events", options->events, "Names of events, separated by commas; * for all")
      .delimiter(',')
      .type_name("NAMES");
  add_server_options(verb, options->server);
  verb.footer("Examples:\n  patchbay webhook change 0123456789abcdef --events transcript.saved");
  verb.callback([options, &exit_code] {
    core::json::Writer body;
    body.begin_object();
    if (!options->url.empty()) body.member("url", std::string_view(options->url));
    if (!options->events.empty()) write_events(body, options->events);
    body.end_object();
    exit_code =
        exchange(options->server, "PATCH", webhook_path(*options), {}, body.take(), show_subscription);
  });
}

void add_webhook_activation(Verb webhook, const char* name, const char* description, bool active,
                            int& exit_code) {
  Verb verb = webhook.add_verb(name, description);
  const WebhookOptionsPtr options = add_webhook_id(verb);
  add_server_options(verb, options->server);
  verb.footer(
      "Examples:\n  patchbay webhook pause 0123456789abcdef\n  patchbay webhook resume 0123456789abcdef");
  verb.callback([options, active, &exit_code] {
    core::json::Writer body;
    body.begin_object().member("active", active).end_object();
    exit_code =
        exchange(options->server, "PATCH", webhook_path(*options), {}, body.take(), show_subscription);
  });
}

void add_webhook_delete(Verb webhook, int& exit_code) {
  Verb verb = webhook.add_verb("delete", "Delete a subscription and its deliveries");
  const WebhookOptionsPtr options = add_webhook_id(verb);
  add_server_options(verb, options->server);
  verb.footer("Examples:\n  patchbay webhook delete 0123456789abcdef");
  verb.callback([options, &exit_code] {
    exit_code = exchange(options->server, "DELETE", webhook_path(*options), {}, {},
                         [](const core::json::Node& answer) {
                           if (const core::json::Node* deleted = answer.find("deleted"))
                             std::printf("%s was deleted\n", member(*deleted, "id").c_str());
                         });
  });
}

void add_webhook_rotate(Verb webhook, int& exit_code) {
  Verb verb = webhook.add_verb("rotate", "Give a subscription a new secret, which is shown only now");
  const WebhookOptionsPtr options = add_webhook_id(verb);
  verb.add_option("--secret", options->secret, "The new one, 16 characters or more; generated if omitted");
  add_server_options(verb, options->server);
  verb.footer("Examples:\n  patchbay webhook rotate 0123456789abcdef");
  verb.callback([options, &exit_code] {
    core::json::Writer body;
    body.begin_object();
    if (!options->secret.empty()) body.member("secret", std::string_view(options->secret));
    body.end_object();
    exit_code =
        exchange(options->server, "POST", webhook_path(*options, "/rotate"), {}, body.take(), show_secret);
  });
}

void add_webhook_test(Verb webhook, int& exit_code) {
  Verb verb = webhook.add_verb("test", "Send webhook.test to the receiver, also of a paused subscription");
  const WebhookOptionsPtr options = add_webhook_id(verb);
  add_server_options(verb, options->server);
  verb.footer("Examples:\n  patchbay webhook test 0123456789abcdef");
  verb.callback([options, &exit_code] {
    exit_code = exchange(options->server, "POST", webhook_path(*options, "/test"), {}, {}, show_delivery_id);
  });
}

void add_webhook_deliveries(Verb webhook, int& exit_code) {
  Verb verb = webhook.add_verb("deliveries", "List the deliveries of a subscription, newest first");
  const WebhookOptionsPtr options = add_webhook_id(verb);
  options->limit = kNewestRows;
  add_limit_option(verb, options->limit);
  add_server_options(verb, options->server);
  verb.footer("Examples:\n  patchbay webhook deliveries 0123456789abcdef --limit 10");
  verb.callback([options, &exit_code] {
    exit_code = exchange_list(options->server, webhook_path(*options, "/deliveries"), {}, options->limit,
                              [](const core::json::Node& list) {
                                std::fputs(list_table(list, {{"DELIVERY", "deliveryId"},
                                                             {"EVENT", "event"},
                                                             {"TIME (UTC)", "eventUtc"},
                                                             {"STATE", "state"},
                                                             {"ATTEMPTS", "attempts"},
                                                             {"STATUS", "status"},
                                                             {"ERROR", "error"}})
                                               .c_str(),
                                           stdout);
                              });
  });
}

void add_webhook_resend(Verb webhook, int& exit_code) {
  Verb verb = webhook.add_verb("resend", "Send an ended delivery again, from attempt 1");
  const WebhookOptionsPtr options = add_webhook_id(verb);
  verb.add_option("DELIVERY", options->delivery, "The delivery, as `patchbay webhook deliveries` shows it")
      .required();
  add_server_options(verb, options->server);
  verb.footer("Examples:\n  patchbay webhook resend 0123456789abcdef 00112233445566778899aabbccddeeff");
  verb.callback([options, &exit_code] {
    const std::string tail = "/deliveries/" + percent_encode(options->delivery) + "/resend";
    exit_code = exchange(options->server, "POST", webhook_path(*options, tail), {}, {}, show_delivery_id);
  });
}

}  // namespace

void add_webhook(Verb app, int& exit_code) {
  Verb verb = app.add_verb("webhook", "Webhook subscriptions");
  verb.require_verb();
  verb.footer(
      "Examples:\n  patchbay webhook create https://crm.example.com/hook --events outbound-ai.finished");
  add_webhook_list(verb, exit_code);
  add_webhook_show(verb, exit_code);
  add_webhook_create(verb, "create", exit_code);
  add_webhook_create(verb, "add", exit_code);
  add_webhook_change(verb, exit_code);
  add_webhook_activation(verb, "pause", "Pause a subscription; its events wait for a day", false, exit_code);
  add_webhook_activation(verb, "resume", "Reactivate a subscription", true, exit_code);
  add_webhook_delete(verb, exit_code);
  add_webhook_rotate(verb, exit_code);
  add_webhook_test(verb, exit_code);
  add_webhook_deliveries(verb, exit_code);
  add_webhook_resend(verb, exit_code);
}

}  // namespace patchbay::app
