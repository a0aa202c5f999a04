/* The layout of the boundary, for 64-bit Linux. An append adds lines here; a change of a line is a break of
 * every plugin ever built, and is not allowed. Checked in C11 and C++17, by each compiler that is there. */
#include <patchbay/abi.h>

#define AT(type, member, offset) \
  PB_STATIC_ASSERT(offsetof(type, member) == (offset), #type "." #member " moved")
#define FROZEN(type, size) PB_STATIC_ASSERT(sizeof(type) == (size), #type " is frozen")
/* Tables and structs that grow: never shorter than at their first release, and the floor never above that. */
#define AT_LEAST(type, size) PB_STATIC_ASSERT(sizeof(type) >= (size), #type " lost a member")
#define FLOOR(floor, size) PB_STATIC_ASSERT((floor) == (size), #floor " moved")

/* base.h */
FROZEN(pb_str, 16);
AT(pb_str, data, 0);
AT(pb_str, len, 8);

FROZEN(pb_err, 264);
AT(pb_err, size, 0);
AT(pb_err, code, 4);
AT(pb_err, text, 8);

AT_LEAST(pb_buf_ops, 32);
AT(pb_buf_ops, size, 0);
AT(pb_buf_ops, reserved, 4);
AT(pb_buf_ops, retain, 8);
AT(pb_buf_ops, release, 16);
AT(pb_buf_ops, unique, 24);

FROZEN(pb_buf, 24);
AT(pb_buf, ops, 0);
AT(pb_buf, data, 8);
AT(pb_buf, len, 16);
AT(pb_buf, cap, 20);

/* bus.h */
AT_LEAST(pb_event, 104);
AT(pb_event, size, 0);
AT(pb_event, flags, 4);
AT(pb_event, id, 8);
AT(pb_event, time_ms, 16);
AT(pb_event, topic, 24);
AT(pb_event, tenant, 40);
AT(pb_event, subject, 56);
AT(pb_event, correlation, 72);
AT(pb_event, payload, 88);

AT_LEAST(pb_subscription, 56);
AT(pb_subscription, size, 0);
AT(pb_subscription, queue_max, 4);
AT(pb_subscription, policy, 8);
AT(pb_subscription, reserved, 12);
AT(pb_subscription, strand, 16);
AT(pb_subscription, pattern, 24);
AT(pb_subscription, tenant, 40);

AT_LEAST(pb_bus, 32);
FLOOR(PB_BUS_FLOOR, 32);
AT(pb_bus, size, 0);
AT(pb_bus, reserved, 4);
AT(pb_bus, publish, 8);
AT(pb_bus, subscribe, 16);
AT(pb_bus, unsubscribe, 24);

/* json.h */
AT_LEAST(pb_json, 136);
FLOOR(PB_JSON_FLOOR, 136);
AT(pb_json, size, 0);
AT(pb_json, reserved, 4);
AT(pb_json, parse, 8);
AT(pb_json, free_doc, 16);
AT(pb_json, root, 24);
AT(pb_json, type, 32);
AT(pb_json, count, 40);
AT(pb_json, at, 48);
AT(pb_json, key_at, 56);
AT(pb_json, get, 64);
AT(pb_json, boolean, 72);
AT(pb_json, integer, 80);
AT(pb_json, number, 88);
AT(pb_json, string, 96);
AT(pb_json, write, 104);
AT(pb_json, schema, 112);
AT(pb_json, schema_free, 120);
AT(pb_json, schema_read, 128);

/* media.h */
FROZEN(pb_frame, 64);
AT(pb_frame, size, 0);
AT(pb_frame, flags, 4);
AT(pb_frame, tick, 8);
AT(pb_frame, time_ns, 16);
AT(pb_frame, rate_hz, 24);
AT(pb_frame, samples, 28);
AT(pb_frame, capacity, 32);
AT(pb_frame, reserved0, 36);
AT(pb_frame, pcm, 40);
AT(pb_frame, reserved, 48);

AT_LEAST(pb_port, 48);
AT(pb_port, size, 0);
AT(pb_port, pull_rate_hz, 4);
AT(pb_port, push_rate_hz, 8);
AT(pb_port, reserved, 12);
AT(pb_port, attached, 16);
AT(pb_port, pull, 24);
AT(pb_port, push, 32);
AT(pb_port, detached, 40);

AT_LEAST(pb_tick, 24);
AT(pb_tick, size, 0);
AT(pb_tick, loop, 4);
AT(pb_tick, number, 8);
AT(pb_tick, time_ns, 16);

AT_LEAST(pb_media, 56);
FLOOR(PB_MEDIA_FLOOR, 56);
AT(pb_media, size, 0);
AT(pb_media, loops, 4);
AT(pb_media, attach, 8);
AT(pb_media, detach, 16);
AT(pb_media, port_create, 24);
AT(pb_media, port_close, 32);
AT(pb_media, port_open, 40);
AT(pb_media, port_release, 48);

/* observe.h */
FROZEN(pb_pair, 32);
AT(pb_pair, key, 0);
AT(pb_pair, value, 16);

AT_LEAST(pb_observe, 72);
FLOOR(PB_OBSERVE_FLOOR, 72);
AT(pb_observe, size, 0);
AT(pb_observe, reserved, 4);
AT(pb_observe, log, 8);
AT(pb_observe, log_enabled, 16);
AT(pb_observe, secret_add, 24);
AT(pb_observe, secret_forget, 32);
AT(pb_observe, metric, 40);
AT(pb_observe, metric_add, 48);
AT(pb_observe, metric_set, 56);
AT(pb_observe, report, 64);

/* plugin.h */
AT_LEAST(pb_host, 24);
AT(pb_host, size, 0);
AT(pb_host, abi_minor, 4);
AT(pb_host, self, 8);
AT(pb_host, query, 16);

AT_LEAST(pb_done, 24);
AT(pb_done, size, 0);
AT(pb_done, reserved, 4);
AT(pb_done, self, 8);
AT(pb_done, call, 16);

AT_LEAST(pb_plugin, 56);
FLOOR(PB_PLUGIN_FLOOR, 56);
AT(pb_plugin, size, 0);
AT(pb_plugin, reserved, 4);
AT(pb_plugin, start, 8);
AT(pb_plugin, check_config, 16);
AT(pb_plugin, reconfigure, 24);
AT(pb_plugin, drain, 32);
AT(pb_plugin, stop, 40);
AT(pb_plugin, destroy, 48);

AT_LEAST(pb_entry, 56);
AT(pb_entry, magic, 0);
AT(pb_entry, size, 4);
AT(pb_entry, abi_major, 8);
AT(pb_entry, abi_minor, 10);
AT(pb_entry, flags, 12);
AT(pb_entry, manifest, 16);
AT(pb_entry, store, 32);
AT(pb_entry, create, 48);

/* runtime.h */
AT_LEAST(pb_runtime, 88);
FLOOR(PB_RUNTIME_FLOOR, 88);
AT(pb_runtime, size, 0);
AT(pb_runtime, reserved, 4);
AT(pb_runtime, strand_create, 8);
AT(pb_runtime, strand_post, 16);
AT(pb_runtime, strand_close, 24);
AT(pb_runtime, strand_is_current, 32);
AT(pb_runtime, worker_post, 40);
AT(pb_runtime, timer_start, 48);
AT(pb_runtime, timer_close, 56);
AT(pb_runtime, now, 64);
AT(pb_runtime, thread_kind, 72);
AT(pb_runtime, plugin_id, 80);

/* services.h */
AT_LEAST(pb_message, 8);
AT(pb_message, size, 0);
AT(pb_message, reserved, 4);

AT_LEAST(pb_field, 32);
AT(pb_field, size, 0);
AT(pb_field, kind, 4);
AT(pb_field, offset, 8);
AT(pb_field, reserved, 12);
AT(pb_field, name, 16);

AT_LEAST(pb_shape, 24);
AT(pb_shape, size, 0);
AT(pb_shape, struct_size, 4);
AT(pb_shape, field_count, 8);
AT(pb_shape, reserved, 12);
AT(pb_shape, fields, 16);

AT_LEAST(pb_method, 40);
AT(pb_method, size, 0);
AT(pb_method, flags, 4);
AT(pb_method, name, 8);
AT(pb_method, request, 24);
AT(pb_method, reply, 32);

AT_LEAST(pb_interface, 32);
AT(pb_interface, size, 0);
AT(pb_interface, method_count, 4);
AT(pb_interface, id, 8);
AT(pb_interface, methods, 24);

AT_LEAST(pb_completion, 16);
AT(pb_completion, size, 0);
AT(pb_completion, reserved, 4);
AT(pb_completion, complete, 8);

AT_LEAST(pb_services, 72);
FLOOR(PB_SERVICES_FLOOR, 72);
AT(pb_services, size, 0);
AT(pb_services, reserved, 4);
AT(pb_services, provide, 8);
AT(pb_services, withdraw, 16);
AT(pb_services, query, 24);
AT(pb_services, open, 32);
AT(pb_services, unlease, 40);
AT(pb_services, watch, 48);
AT(pb_services, unwatch, 56);
AT(pb_services, call, 64);

/* store.h */
FROZEN(pb_value, 40);
AT(pb_value, kind, 0);
AT(pb_value, reserved, 4);
AT(pb_value, integer, 8);
AT(pb_value, real, 16);
AT(pb_value, bytes, 24);

AT_LEAST(pb_rows, 24);
AT(pb_rows, size, 0);
AT(pb_rows, columns, 4);
AT(pb_rows, rows, 8);
AT(pb_rows, cells, 16);

AT_LEAST(pb_commit, 56);
AT(pb_commit, size, 0);
AT(pb_commit, status, 4);
AT(pb_commit, failed_operation, 8);
AT(pb_commit, savepoints, 12);
AT(pb_commit, savepoint_status, 16);
AT(pb_commit, result_count, 24);
AT(pb_commit, reserved, 28);
AT(pb_commit, results, 32);
AT(pb_commit, text, 40);

AT_LEAST(pb_job, 96);
AT(pb_job, size, 0);
AT(pb_job, tries, 4);
AT(pb_job, id, 8);
AT(pb_job, fence, 16);
AT(pb_job, due_ms, 24);
AT(pb_job, kind, 32);
AT(pb_job, tenant, 48);
AT(pb_job, key, 64);
AT(pb_job, body, 80);

AT_LEAST(pb_store, 192);
FLOOR(PB_STORE_FLOOR, 192);
AT(pb_store, size, 0);
AT(pb_store, reserved, 4);
AT(pb_store, statement, 8);
AT(pb_store, query, 16);
AT(pb_store, begin, 24);
AT(pb_store, exec, 32);
AT(pb_store, savepoint, 40);
AT(pb_store, release, 48);
AT(pb_store, emit, 56);
AT(pb_store, job_add, 64);
AT(pb_store, job_done, 72);
AT(pb_store, job_retry, 80);
AT(pb_store, job_cancel, 88);
AT(pb_store, ack, 96);
AT(pb_store, commit, 104);
AT(pb_store, discard, 112);
AT(pb_store, job_worker, 120);
AT(pb_store, job_worker_close, 128);
AT(pb_store, consumer, 136);
AT(pb_store, consumer_close, 144);
AT(pb_store, pending, 152);
AT(pb_store, epoch, 160);
AT(pb_store, seal, 168);
AT(pb_store, unseal, 176);
AT(pb_store, data_folder, 184);
