/* Events: publish and subscribe.
 *
 * publish() is transient: the event goes to the current subscribers, in order per subject, is dropped when a
 * subscriber's queue is full, and is never sent as a webhook. Durable events are emitted by a transaction
 * (abi/store.h), and reach subscribers here as well, after the commit. */
#ifndef PATCHBAY_ABI_BUS_H
#define PATCHBAY_ABI_BUS_H

#include "base.h"

#define PB_BUS_ID "patchbay.bus/1"

#define PB_BUS_DROP_OLDEST 0u
#define PB_BUS_DROP_NEWEST 1u

/* Borrowed for the call that passes it. */
typedef struct pb_event {
  uint32_t size;
  uint32_t flags;
  int64_t id;      /* position in the durable log; 0: transient */
  int64_t time_ms; /* wall clock */
  pb_str topic;    /* "call.answered" */
  pb_str tenant;
  pb_str subject; /* call id, room: events of one subject are delivered in order */
  pb_str correlation;
  pb_str payload;     /* JSON, the event's `data` */
  int64_t tenant_seq; /* of a durable event: 1, 2, 3 ... per tenant, in commit order; 0: transient */
} pb_event;

typedef struct pb_subscription {
  uint32_t size;
  uint32_t queue_max; /* events; 0: 1024 */
  uint32_t policy;    /* PB_BUS_DROP_* */
  uint32_t reserved;
  uint64_t strand;
  pb_str pattern; /* "call.answered", "call.*", "*" */
  pb_str tenant;  /* empty: all */
} pb_subscription;

typedef void (*pb_event_fn)(void* user, const pb_event* event) PB_NOEXCEPT;

/* Lifetime: arguments are borrowed for the call; `user` must live until `done` of unsubscribe was called.
 * Since: 0.1 */
typedef struct pb_bus {
  uint32_t size;
  uint32_t reserved;
  /* [any] Copies the event and returns; the host sets id and time. Never blocks. */
  int32_t (*publish)(void* host, const pb_event* event) PB_NOEXCEPT;
  /* [any] Calls fn(user, event) on the subscription's strand. Returns 0 and `err` for an invalid pattern. */
  uint64_t (*subscribe)(void* host, const pb_subscription* what, pb_event_fn fn, void* user,
                        pb_err* err) PB_NOEXCEPT;
  /* [any] Close as in base.h. */
  void (*unsubscribe)(void* host, uint64_t subscription, pb_fn done, void* user) PB_NOEXCEPT;
} pb_bus;
#define PB_BUS_FLOOR 32u /* of 0.1 */

#endif
