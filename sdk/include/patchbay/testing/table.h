/* The fake host as a C table, so that tests built with any compiler and standard library can link it.
 * fake_host.h is the C++ layer that tests use.
 *
 * libpatchbay-testing.so contains the core's bus, store, services, JSON and strands, without a server and a
 * configuration file. Clocks, timers and media ticks advance only when the test advances them. The host
 * records what plugins do, and reports broken rules of the boundary as problems.
 *
 * Threads: only one thread at a time, the test's, may call the functions of pb_testing; a strand must not.
 * Maturity: experimental; unlike abi/, it may change between minor versions. */
#ifndef PATCHBAY_TESTING_TABLE_H
#define PATCHBAY_TESTING_TABLE_H

#include "../abi.h"

/* Clocks, timers and media loops run in real time. */
#define PB_TESTING_REAL_TIME 1u
/* Log lines go to standard error as well. */
#define PB_TESTING_ECHO 2u

typedef struct pb_testing_options {
  uint32_t size;
  uint32_t flags;   /* PB_TESTING_* */
  int64_t wall_ms;  /* initial time of the wall clock; 0: 2023-11-14T22:13:20Z */
  int64_t wait_ms;  /* maximum wait of any function here, in real time; 0: 10000 */
  int64_t stall_ms; /* a task that occupies a strand for longer is a problem; 0: 5000 */
  pb_str folder;    /* for the store and the plugins' files; empty: a temporary one, removed by destroy */
  pb_str log_level; /* the lowest level that is recorded: "debug" (also when empty), "info" ... */
  /* URL or connection string of a PostgreSQL database; empty: SQLite in the folder. With a temporary folder
   * the tables are in a new schema, dropped by destroy; otherwise in the connection's search_path. */
  pb_str store;
} pb_testing_options;

/* The lifecycle steps of a plugin, each a function of pb_plugin. */
#define PB_STEP_CREATE 0u
#define PB_STEP_START 1u
#define PB_STEP_CHECK_CONFIG 2u
#define PB_STEP_RECONFIGURE 3u
#define PB_STEP_DRAIN 4u
#define PB_STEP_STOP 5u
#define PB_STEP_DESTROY 6u

/* A plugin's configuration as JSON, checked against its manifest before the plugin sees it. */
typedef struct pb_testing_config {
  uint32_t size;
  uint32_t reserved;
  pb_str plugin;  /* its section under `plugins`; empty: {} */
  pb_str tenants; /* {"<host>":{"primary":true,"section":{},"WebPhone":{}}}; empty: one, localhost */
} pb_testing_config;

/* Records, borrowed for the call that passes them. `plugin` is the id of the plugin that acted. */
typedef struct pb_recorded_event {
  uint32_t size;
  uint32_t reserved;
  pb_str plugin; /* empty: the store, after the commit that emitted it */
  const pb_event* event;
} pb_recorded_event;

typedef struct pb_recorded_line {
  uint32_t size;
  uint32_t level; /* PB_LOG_* */
  pb_str plugin;
  pb_str correlation;
  pb_str text; /* as written to a log: secrets are redacted */
  const pb_pair* fields;
  uint32_t count;
  uint32_t reserved;
} pb_recorded_line;

typedef struct pb_recorded_port {
  uint32_t size;
  uint32_t pull_rate_hz;
  uint32_t push_rate_hz;
  uint32_t reserved;
  uint64_t handle;
  pb_str plugin;
} pb_recorded_port;

typedef struct pb_recorded_problem {
  uint32_t size;
  uint32_t reserved;
  pb_str name; /* "media-thread", "dead-handle", "left-behind", "answered-twice", "thrown", "stalled" */
  pb_str plugin;
  pb_str text; /* one sentence, which names the function */
} pb_recorded_problem;

typedef struct pb_testing_host pb_testing_host;

typedef struct pb_testing {
  uint32_t size;
  uint32_t reserved;

  /* Creates a host; NULL and `err` on failure. */
  pb_testing_host* (*create)(const pb_testing_options* options, pb_err* err)PB_NOEXCEPT;
  /* Stops and destroys remaining plugins, then the host. */
  void (*destroy)(pb_testing_host* host) PB_NOEXCEPT;
  /* The host for the test itself, which acts as a plugin with the id "test". */
  const pb_host* (*client)(pb_testing_host* host)PB_NOEXCEPT;

  /* Adds a plugin by its file or entry, without running its code; 0 and `err` on failure. */
  uint64_t (*load)(pb_testing_host* host, pb_str file, pb_err* err) PB_NOEXCEPT;
  uint64_t (*link)(pb_testing_host* host, const pb_entry* entry, pb_err* err) PB_NOEXCEPT;
  /* The plugin's manifest, JSON; lives as long as the host. */
  pb_str (*manifest)(pb_testing_host* host, uint64_t plugin) PB_NOEXCEPT;
  /* Begins a step; `config` is used by start, check_config and reconfigure. PB_E_INVALID: the manifest's
   * schemas refuse it. PB_E_MISUSE: the step is not allowed in this state, or the previous one has not
   * finished. */
  int32_t (*begin)(pb_testing_host* host, uint64_t plugin, uint32_t step, const pb_testing_config* config,
                   pb_err* err) PB_NOEXCEPT;
  /* Waits for the step to finish, at most `wait_ms` of real time (negative: as long as the options allow).
   * Returns 1 and *status, or 0: not yet. */
  int32_t (*answer)(pb_testing_host* host, uint64_t plugin, int64_t wait_ms, int32_t* status,
                    pb_err* err) PB_NOEXCEPT;

  /* Waits until strands, workers and store are idle. PB_E_TIMEOUT: they are not. */
  int32_t (*settle)(pb_testing_host* host, pb_err* err) PB_NOEXCEPT;
  /* Advances both clocks, and settles at each timer and media tick on the way. */
  int32_t (*advance)(pb_testing_host* host, int64_t ms, pb_err* err) PB_NOEXCEPT;
  /* Sets only the wall clock, as an operator may. */
  int32_t (*set_wall)(pb_testing_host* host, int64_t wall_ms, pb_err* err) PB_NOEXCEPT;
  /* Runs fn(user) on the media loop's thread, between two ticks, and waits. */
  int32_t (*on_media)(pb_testing_host* host, pb_fn fn, void* user) PB_NOEXCEPT;

  /* Runs one statement on any table, over a second connection to the store's database. Settle first. Calls fn
   * once, before it returns. */
  void (*sql)(pb_testing_host* host, pb_str statement, const pb_value* values, uint32_t count, pb_rows_fn fn,
              void* user) PB_NOEXCEPT;

  /* Pass the records so far, from index `from` on, in order; each returns the index to continue at. */
  uint64_t (*events)(pb_testing_host* host, uint64_t from,
                     void (*sink)(void*, const pb_recorded_event*) PB_NOEXCEPT, void* user) PB_NOEXCEPT;
  uint64_t (*lines)(pb_testing_host* host, uint64_t from,
                    void (*sink)(void*, const pb_recorded_line*) PB_NOEXCEPT, void* user) PB_NOEXCEPT;
  uint64_t (*ports)(pb_testing_host* host, uint64_t from,
                    void (*sink)(void*, const pb_recorded_port*) PB_NOEXCEPT, void* user) PB_NOEXCEPT;
  uint64_t (*problems)(pb_testing_host* host, uint64_t from,
                       void (*sink)(void*, const pb_recorded_problem*) PB_NOEXCEPT, void* user) PB_NOEXCEPT;
} pb_testing;

/* The one symbol of the library. */
#ifdef __cplusplus
extern "C"
#else
extern
#endif
    const pb_testing patchbay_testing_v1;

#endif
