/* Services: calls between plugins, and back.
 *
 * An interface is a list of methods. A request and a reply are structs that start with their size and then
 * hold 8-byte aligned fields in the order of the field table: integers, numbers, strings, buffers, handles.
 * With the table a host can copy them across strands and processes. The C++ layer derives struct and table
 * from one declaration.
 *
 * A plugin that implements an interface provides an instance of it on a strand. A public instance is found by
 * the interface's id; a private one is passed by its handle inside a request, as listeners, sessions and
 * callbacks are.
 *
 * The host runs a method on the instance's strand, except methods tagged PB_METHOD_ANY, which run on the
 * caller's thread, and delivers the reply on the caller's strand.
 *
 * Plugins can end without notice, because an isolated one may crash. The host then closes all that the plugin
 * provided and opened, but not what other plugins keep on its behalf: a call that it dialled, two ports that
 * it had joined. A plugin that keeps something for a listener, a port or a caller has to watch its end
 * (watch_end) and release what it kept. */
#ifndef PATCHBAY_ABI_SERVICES_H
#define PATCHBAY_ABI_SERVICES_H

#include "base.h"

#define PB_SERVICES_ID "patchbay.services/1"

#define PB_FIELD_INT 1u    /* int64_t */
#define PB_FIELD_NUMBER 2u /* double */
#define PB_FIELD_STR 3u    /* pb_str */
#define PB_FIELD_BUF 4u    /* pb_buf*, NULL allowed */
#define PB_FIELD_HANDLE 5u /* uint64_t: instance, port or transaction; 0 allowed */

#define PB_METHOD_ANY 1u /* runs inline on the caller's thread; must not block */

/* The head of every request and reply. */
typedef struct pb_message {
  uint32_t size;
  uint32_t reserved;
} pb_message;

typedef struct pb_field {
  uint32_t size;
  uint32_t kind;   /* PB_FIELD_* */
  uint32_t offset; /* in the struct */
  uint32_t reserved;
  pb_str name;
} pb_field;

typedef struct pb_shape {
  uint32_t size;
  uint32_t struct_size;
  uint32_t field_count;
  uint32_t reserved;
  const pb_field* const* fields;
} pb_shape;

typedef struct pb_method {
  uint32_t size;
  uint32_t flags;
  pb_str name;
  const pb_shape* request;
  const pb_shape* reply;
} pb_method;

typedef struct pb_interface {
  uint32_t size;
  uint32_t method_count;
  pb_str id; /* "patchbay.telephony/1" */
  const pb_method* const* methods;
} pb_interface;

typedef struct pb_completion pb_completion;
/* Completes one call.
 * Lifetime: owned by the host; valid until complete was called.
 * Since: 0.1 */
struct pb_completion {
  uint32_t size;
  uint32_t reserved;
  /* [any] Answers the call, exactly once; the reply is copied before this returns. */
  void (*complete)(pb_completion* self, int32_t status, const pb_message* reply,
                   const pb_err* err) PB_NOEXCEPT;
};

/* A provider's implementation of method `slot`. PB_OK: it has answered or will answer through `completion`.
 * Any other status is the answer itself, and `completion` must not be used. `request` is borrowed for the
 * call. */
typedef int32_t (*pb_method_fn)(void* self, uint32_t slot, const pb_message* request,
                                pb_completion* completion, pb_err* err) PB_NOEXCEPT;

typedef void (*pb_reply_fn)(void* user, int32_t status, const pb_message* reply,
                            const pb_err* err) PB_NOEXCEPT;

/* A watched id got (up = 1) or lost (up = 0) its provider. */
typedef void (*pb_watch_fn)(void* user, int32_t up) PB_NOEXCEPT;

/* Lifetime: instances, leases and watches live until they are closed; `self` and `user` must live until
 * `done` of that, or until the reply. Requests and replies are borrowed for the call, and copied. Since: 0.1
 */
typedef struct pb_services {
  uint32_t size;
  uint32_t reserved;

  /* [any] Provides an instance; with `is_public` under the interface's id, which can have one provider. The
   * interface table must live as long as the process. Returns 0 when the id has a provider already. */
  uint64_t (*provide)(void* host, const pb_interface* what, int32_t is_public, uint64_t strand,
                      pb_method_fn fn, void* self, pb_err* err) PB_NOEXCEPT;
  /* [any] Closes an instance, as in base.h. Unanswered calls fail with PB_E_GONE. */
  void (*withdraw)(void* host, uint64_t instance, pb_fn done, void* user) PB_NOEXCEPT;

  /* [any] Returns a lease on the public provider of `id`; 0 when there is none now. */
  uint64_t (*query)(void* host, pb_str id) PB_NOEXCEPT;
  /* [any] Returns a lease on the instance with that handle; 0 when it is gone or not of interface `id`. */
  uint64_t (*open)(void* host, uint64_t instance, pb_str id) PB_NOEXCEPT;
  /* [any] Releases a lease; replies to calls made on it are still delivered. */
  void (*unlease)(void* host, uint64_t lease) PB_NOEXCEPT;
  /* [any] Calls fn(user, up) on the strand, at once and on each change. */
  uint64_t (*watch)(void* host, pb_str id, uint64_t strand, pb_watch_fn fn, void* user) PB_NOEXCEPT;
  /* [any] Close as in base.h. */
  void (*unwatch)(void* host, uint64_t watch, pb_fn done, void* user) PB_NOEXCEPT;

  /* [any] Calls method `slot` of the lease's instance. `caller` is the caller's table of that interface, by
   * which the request is copied. Calls fn(user, ...) on the strand exactly once, also for errors such as
   * PB_E_GONE; fn NULL: the reply is dropped. */
  void (*call)(void* host, uint64_t lease, const pb_interface* caller, uint32_t slot,
               const pb_message* request, uint64_t strand, pb_reply_fn fn, void* user) PB_NOEXCEPT;

  /* [any] The handle of the calling plugin, inside a method and on the thread that runs it; 0 elsewhere. The
   * handle ends when that plugin stops or its process ends; its next run has another. */
  uint64_t (*caller)(void* host) PB_NOEXCEPT;
  /* [any] Calls fn(user) on the strand, once, when the handle has ended: an instance was withdrawn, a port
   * closed (it may still be open elsewhere), a caller stopped or crashed. At once for a handle that has ended
   * or is unknown. Close it with unwatch, also after the call. Returns 0 for an unknown strand. */
  uint64_t (*watch_end)(void* host, uint64_t handle, uint64_t strand, pb_fn fn, void* user) PB_NOEXCEPT;
} pb_services;
#define PB_SERVICES_FLOOR 88u /* of 0.1 */

#endif
