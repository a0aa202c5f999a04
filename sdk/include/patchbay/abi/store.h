/* The store: transactions as data, reads, the durable event log, jobs, sealing.
 *
 * A plugin brings its SQL (pb_entry.store): sections `-- migration: N` and `-- name: <statement>`, for SQLite
 * and PostgreSQL alike; parameters $1..$n; {{BYTES}}, {{ID}} (a 63-bit key) and {{NOW_MS}} are replaced per
 * dialect. Its tables have its prefix ("sip_trunk_"); statements use no others, but the view at `epoch`.
 *
 * A transaction is a list of operations, built by one plugin, which may pass its handle to a service of
 * another plugin that adds further operations. The writer executes it as a whole. When an expectation is not
 * met, all of it is rolled back, and the error names the operation. An acknowledged commit is on disk. */
#ifndef PATCHBAY_ABI_STORE_H
#define PATCHBAY_ABI_STORE_H

#include "base.h"
#include "bus.h"

#define PB_STORE_ID "patchbay.store/1"

#define PB_VALUE_NULL 0u
#define PB_VALUE_INT 1u
#define PB_VALUE_REAL 2u
#define PB_VALUE_TEXT 3u
#define PB_VALUE_BYTES 4u

#define PB_ANY_CHANGES (-1)

/* Frozen, so arrays of it are safe. */
typedef struct pb_value {
  uint32_t kind; /* PB_VALUE_* */
  uint32_t reserved;
  int64_t integer;
  double real;
  pb_str bytes; /* for PB_VALUE_TEXT and PB_VALUE_BYTES */
} pb_value;
PB_STATIC_ASSERT(sizeof(pb_value) == 40, "frozen");

/* Rows of a query, or of a RETURNING clause; row-major. Borrowed for the callback. */
typedef struct pb_rows {
  uint32_t size;
  uint32_t columns;
  uint64_t rows;
  const pb_value* cells;
} pb_rows;

/* Outcome of a commit. Borrowed for the callback. */
typedef struct pb_commit {
  uint32_t size;
  int32_t status;                  /* PB_OK, PB_E_CONFLICT, PB_E_FENCED, PB_E_UNAVAILABLE ... */
  int32_t failed_operation;        /* index of the operation that failed; -1: none */
  uint32_t savepoints;             /* number of groups opened by savepoint() */
  const int32_t* savepoint_status; /* per group: PB_OK, or why it was rolled back */
  uint32_t result_count;           /* of `results`: one per exec(), in order; NULL without rows */
  uint32_t reserved;
  const pb_rows* const* results;
  pb_str text; /* the reason, when status is not PB_OK */
} pb_commit;

typedef void (*pb_rows_fn)(void* user, int32_t status, const pb_rows* rows, const pb_err* err) PB_NOEXCEPT;
typedef void (*pb_commit_fn)(void* user, const pb_commit* outcome) PB_NOEXCEPT;

/* A durable consumer's pending event, or a claimed job. Borrowed for the callback. */
typedef struct pb_job {
  uint32_t size;
  uint32_t tries; /* number of claims including this one: 1 the first time */
  int64_t id;
  int64_t fence; /* pass it to job_done and job_retry */
  int64_t due_ms;
  pb_str kind;
  pb_str tenant;
  pb_str key; /* empty: added without one */
  pb_str body;
} pb_job;

/* `json`: borrowed, immutable; NULL with an error. `rows`: their number. */
typedef void (*pb_json_rows_fn)(void* user, int32_t status, pb_buf* json, uint64_t rows,
                                const pb_err* err) PB_NOEXCEPT;
typedef void (*pb_job_fn)(void* user, const pb_job* job) PB_NOEXCEPT;
typedef void (*pb_events_fn)(void* user, int32_t status, const pb_event* const* events,
                             uint32_t count) PB_NOEXCEPT;
/* `oldest`, `newest`: see pb_store.read_log. */
typedef void (*pb_event_log_fn)(void* user, int32_t status, const pb_event* const* events, uint32_t count,
                                int64_t oldest, int64_t newest, const pb_err* err) PB_NOEXCEPT;

/* Lifetime: arguments are borrowed for the call, those of a callback for the callback. A transaction lives
 * until commit or discard, a registration until `done` of its close; `user` must live as long. Since: 0.1 */
typedef struct pb_store {
  uint32_t size;
  uint32_t reserved;

  /* [any] Finds the statement of that name in the plugin's SQL; 0 when there is none. */
  uint64_t (*statement)(void* host, pb_str name) PB_NOEXCEPT;
  /* [any] Runs a reading statement; calls fn with the rows on the strand. */
  void (*query)(void* host, uint64_t statement, const pb_value* values, uint32_t count, uint64_t strand,
                pb_rows_fn fn, void* user) PB_NOEXCEPT;

  /* [any] Opens an empty transaction; commit or discard closes it, and operations then return PB_E_GONE. 0
   * when the plugin has 16384 open. It holds at most 32 MiB; after a refused operation (PB_E_EXHAUSTED,
   * PB_E_DENIED) the commit fails as well. */
  uint64_t (*begin)(void* host) PB_NOEXCEPT;
  /* [any] Adds a statement; the commit fails unless it changes `expected_changes` rows (PB_ANY_CHANGES: any
   * number). */
  int32_t (*exec)(void* host, uint64_t tx, uint64_t statement, const pb_value* values, uint32_t count,
                  int64_t expected_changes) PB_NOEXCEPT;
  /* [any] Opens a group, up to release: when an operation of it fails, only the group is rolled back. Groups
   * do not nest. */
  int32_t (*savepoint)(void* host, uint64_t tx) PB_NOEXCEPT;
  /* [any] Closes the group. */
  int32_t (*release)(void* host, uint64_t tx) PB_NOEXCEPT;
  /* [any] Adds a durable event; the host sets id and time. While the log keeps an event with the same
   * non-empty `unique_key` (30 days, longer while pending), no second one is stored. PB_E_DENIED for topics
   * that begin with "core."; an invalid topic (bus.h) or a payload above 256 KiB fails the commit with
   * PB_E_INVALID. */
  int32_t (*emit)(void* host, uint64_t tx, const pb_event* event, pb_str unique_key) PB_NOEXCEPT;
  /* [any] Adds a job. Kinds are per plugin, so two plugins may use the same word. Replaces a job of the same
   * kind and key, which can then no longer be completed. With an empty key nothing is replaced, and
   * job_cancel cannot name the job. */
  int32_t (*job_add)(void* host, uint64_t tx, pb_str kind, pb_str tenant, pb_str key, int64_t due_ms,
                     pb_str body) PB_NOEXCEPT;
  /* [any] Completes a claimed job; the commit fails with PB_E_FENCED when the job was claimed again or
   * replaced meanwhile, or belongs to another plugin. */
  int32_t (*job_done)(void* host, uint64_t tx, int64_t job, int64_t fence) PB_NOEXCEPT;
  /* [any] Makes a claimed job due again at `due_ms`; the commit fails as with job_done. */
  int32_t (*job_retry)(void* host, uint64_t tx, int64_t job, int64_t fence, int64_t due_ms) PB_NOEXCEPT;
  /* [any] Removes the jobs of that kind and key. */
  int32_t (*job_cancel)(void* host, uint64_t tx, pb_str kind, pb_str key) PB_NOEXCEPT;
  /* [any] Acknowledges a consumer's pending event. */
  int32_t (*ack)(void* host, uint64_t tx, pb_str consumer, int64_t event_id) PB_NOEXCEPT;
  /* [any] Executes the transaction; calls fn on the strand once it is on disk or has failed. The handle is
   * closed on return. */
  void (*commit)(void* host, uint64_t tx, uint64_t strand, pb_commit_fn fn, void* user) PB_NOEXCEPT;
  /* [any] Drops the transaction; the handle is closed on return. */
  void (*discard)(void* host, uint64_t tx) PB_NOEXCEPT;

  /* [any] Claims due jobs of a kind, at most `concurrency` at a time, and calls fn on the strand. A job that
   * is not completed within `lease_ms` is claimed again, by any worker of that kind, with another fence and
   * one more try; after a restart of the server at once. Tries are not limited: give up with job_done.
   * `lease_ms` is clamped to between a second and a day. */
  uint64_t (*job_worker)(void* host, pb_str kind, uint32_t concurrency, int64_t lease_ms, uint64_t strand,
                         pb_job_fn fn, void* user) PB_NOEXCEPT;
  /* [any] Close as in base.h. Its claimed jobs are claimed again after their leases. */
  void (*job_worker_close)(void* host, uint64_t worker, pb_fn done, void* user) PB_NOEXCEPT;

  /* [any] Registers a durable consumer: from its first registration on, every emitted event that matches one
   * of the patterns (separated by spaces) stays pending for it until acknowledged. `wake` is called on the
   * strand when it is registered and when there may be new events. If the store cannot register it now, the
   * host tries again and logs a warning. A consumer that is not registered for 30 days is removed with its
   * pending events. */
  uint64_t (*consumer)(void* host, pb_str name, pb_str patterns, uint64_t strand, pb_fn wake, void* user,
                       pb_err* err) PB_NOEXCEPT;
  /* [any] Close as in base.h. Events stay pending, and new ones are added. */
  void (*consumer_close)(void* host, uint64_t consumer, pb_fn done, void* user) PB_NOEXCEPT;
  /* [any] Reads the consumer's oldest pending events: at most `limit`, fewer when they are large. */
  void (*pending)(void* host, uint64_t consumer, uint32_t limit, uint64_t strand, pb_events_fn fn,
                  void* user) PB_NOEXCEPT;

  /* [any] The server process's epoch; with its node (pb_observe.report) it names the owner of a row. SQL may
   * read the live ones: core_live_node (node, epoch). An isolated plugin may restart within one epoch, so it
   * finds rows of its earlier starts by a random number of each start. */
  int64_t (*epoch)(void* host) PB_NOEXCEPT;
  /* [any] Encrypts with the key file, into a buffer that the caller releases; NULL when it fails. unseal
   * needs the same `context`. */
  pb_buf* (*seal)(void* host, pb_str plain, pb_str context)PB_NOEXCEPT;
  /* [any] Decrypts into a buffer that the caller releases; NULL when key, context or bytes do not match. */
  pb_buf* (*unseal)(void* host, pb_str sealed, pb_str context)PB_NOEXCEPT;
  /* [any] The existing folder for the plugin's files; the string lives as long as the host. */
  pb_str (*data_folder)(void* host) PB_NOEXCEPT;

  /* [any] Runs a reading statement like query, and calls fn with its rows as JSON text: an array of objects.
   * `members` names a member for each column, separated by blanks. Texts, numbers and NULL are written as
   * such, bytes in hexadecimal. A name that ends in "@" is a time in milliseconds since 1970, written in ISO
   * 8601, and as "" for NULL and 0; in "@?": as null; a name that ends in "-" or "@-" is left out for NULL; a
   * column "-" is not written. The host may return the same buffer again as long as no commit has written to
   * the plugin's tables (of other servers on the database: for a second at most), if all SQL functions in
   * the statement are known as deterministic: not those of dates. */
  void (*query_json)(void* host, uint64_t statement, const pb_value* values, uint32_t count, pb_str members,
                     uint64_t strand, pb_json_rows_fn fn, void* user) PB_NOEXCEPT;

  /* [any] Reads a tenant's durable events after the number `after` (pb_event.tenant_seq; 0: from the first),
   * of any plugin: at most `limit`, clamped to between 1 and 1000, fewer when they are large or a gap
   * follows. They are numbered in commit order, without gaps, so a reader that continues with the last number
   * it got gets each event once. `newest` is the last number given. The host keeps events for 30 days;
   * `oldest` is the least `after` from which the events that it still has can be read without a gap: when it
   * exceeds `after`, `events` is empty, and the ones between are gone. */
  void (*read_log)(void* host, pb_str tenant, int64_t after, uint32_t limit, uint64_t strand,
                   pb_event_log_fn fn, void* user) PB_NOEXCEPT;
} pb_store;
#define PB_STORE_FLOOR 192u /* of 0.1 */

#endif
