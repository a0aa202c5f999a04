#include <patchbay/c_plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tally {
  void* host; /* the first argument of all the host's functions */
  const pb_bus* bus;
  const pb_json* json;
  const pb_observe* observe;
  uint64_t subscription;
  uint64_t metric;
  uint64_t count;
  pb_done stopped; /* called when the subscription is closed */
} tally;

static pb_str text(const char* words) {
  const pb_str str = {words, strlen(words)};
  return str;
}

/* All functions run on the main strand, one at a time, so no lock is needed. */
static void on_event(void* user, const pb_event* event) {
  tally* self = user;
  char payload[64];
  const int length = snprintf(payload, sizeof payload, "{\"count\":%llu}", (unsigned long long)++self->count);
  pb_event counted = {.size = sizeof counted, .topic = text("c-plugin.counted")};
  counted.tenant = event->tenant;
  counted.subject = event->subject;
  counted.correlation = event->correlation;
  counted.payload.data = payload;
  counted.payload.len = (uint64_t)length;
  self->observe->metric_add(self->host, self->metric, 1); /* before the event, so that its receivers see it */
  self->bus->publish(self->host, &counted);
}

static void start(void* user, pb_str config, const pb_done* done) {
  tally* self = user;
  pb_err err = {.size = sizeof err};
  pb_json_doc* doc = NULL;
  int32_t status = self->json->parse(self->host, config, &doc, &err);
  if (status == PB_OK) {
    const pb_json_node* plugin = self->json->get(self->json->root(doc), text("plugin"));
    pb_subscription what = {.size = sizeof what};
    what.pattern = self->json->string(self->json->get(plugin, text("topic")));
    self->subscription = self->bus->subscribe(self->host, &what, &on_event, self, &err);
    if (self->subscription == 0) status = err.code;
    self->json->free_doc(self->host, doc);
  }
  done->call(done->self, status, status == PB_OK ? NULL : &err);
}

static int32_t check_config(void* user, pb_str config, pb_err* err) {
  (void)user, (void)config, (void)err;
  return PB_E_UNSUPPORTED; /* a change needs a restart */
}
static void reconfigure(void* user, pb_str config) { (void)user, (void)config; }
static void drain(void* user, const pb_done* done) {
  (void)user;
  done->call(done->self, PB_OK, NULL);
}

static void on_unsubscribed(void* user) {
  tally* self = user;
  self->stopped.call(self->stopped.self, PB_OK, NULL);
}
static void stop(void* user, const pb_done* done) {
  tally* self = user;
  self->stopped = *done;
  if (self->subscription == 0)
    on_unsubscribed(self);
  else
    self->bus->unsubscribe(self->host, self->subscription, &on_unsubscribed, self);
}
static void destroy(void* user) { free(user); }

static const pb_plugin kTable = {sizeof(pb_plugin), 0,     start, check_config,
                                 reconfigure,       drain, stop,  destroy};

static int32_t create(const pb_host* host, const pb_plugin** table, void** out, pb_err* err) {
  tally* self = calloc(1, sizeof *self);
  if (self == NULL) return pb_fail(err, PB_E_EXHAUSTED, "no memory");
  self->host = host->self;
  self->bus = host->query(host->self, text(PB_BUS_ID), PB_BUS_FLOOR);
  self->json = host->query(host->self, text(PB_JSON_ID), PB_JSON_FLOOR);
  self->observe = host->query(host->self, text(PB_OBSERVE_ID), PB_OBSERVE_FLOOR);
  if (self->bus == NULL || self->json == NULL || self->observe == NULL) {
    free(self);
    return pb_fail(err, PB_E_UNSUPPORTED, "this core has no bus, json or observe");
  }
  self->metric = self->observe->metric(self->host, PB_METRIC_COUNTER, text("patchbay_c_plugin_events"),
                                       text("Events that were counted"), NULL, 0);
  *table = &kTable;
  *out = self;
  return PB_OK;
}

PATCHBAY_C_PLUGIN(create)
