/* Media loops and audio ports.
 *
 * A media loop is a thread that ticks every 20 ms by absolute deadlines; it is the only media clock. A port
 * is one side of an audio stream: per tick, whoever joined it (the plugin media, through patchbay.audio)
 * pulls a frame from it and pushes one to it, both on the loop's thread. The memory of a frame is the
 * joiner's, for the call. */
#ifndef PATCHBAY_ABI_MEDIA_H
#define PATCHBAY_ABI_MEDIA_H

#include "base.h"

#define PB_MEDIA_ID "patchbay.media/1"

#define PB_TICK_MS 20

/* Signed 16-bit PCM, mono. 64 bytes, frozen. */
typedef struct pb_frame {
  uint32_t size;   /* 64 */
  uint32_t flags;  /* PB_FRAME_* */
  int64_t tick;    /* number of the tick */
  int64_t time_ns; /* deadline of the tick, monotonic clock */
  uint32_t rate_hz;
  uint32_t samples; /* valid in `pcm`; of a pull: set by the port, at most `capacity` */
  uint32_t capacity;
  uint32_t reserved0;
  int16_t* pcm;
  uint64_t reserved[2];
} pb_frame;
PB_STATIC_ASSERT(sizeof(pb_frame) == 64, "frozen");

#define PB_FRAME_SILENCE 1u /* nothing to hear; `pcm` holds zeroes */

/* One side of an audio stream, as the plugin that made it fills it.
 * Lifetime: the plugin's; must live until `done` of port_close. Frames are borrowed for the call.
 * Since: 0.1 */
typedef struct pb_port {
  uint32_t size;
  uint32_t pull_rate_hz; /* of what pull gives; 0: it gives nothing */
  uint32_t push_rate_hz; /* of what push takes; 0: it takes nothing */
  uint32_t reserved;
  /* [media] Joined: ticks of loop `loop` follow. */
  void (*attached)(void* self, uint32_t loop) PB_NOEXCEPT;
  /* [media] Fill out->pcm with 20 ms at pull_rate_hz, or set PB_FRAME_SILENCE. */
  void (*pull)(void* self, pb_frame* out) PB_NOEXCEPT;
  /* [media] 20 ms at push_rate_hz. */
  void (*push)(void* self, const pb_frame* in) PB_NOEXCEPT;
  /* [media] No further pull or push. */
  void (*detached)(void* self) PB_NOEXCEPT;
} pb_port;

typedef struct pb_tick {
  uint32_t size;
  uint32_t loop;
  int64_t number;
  int64_t time_ns; /* the deadline, monotonic clock */
} pb_tick;

typedef void (*pb_tick_fn)(void* user, const pb_tick* tick) PB_NOEXCEPT;

/* Lifetime: an attachment lasts until `done` of detach, a port until `done` of port_close; `user` and `self`
 * must live as long. A frame is borrowed for the call.
 * Since: 0.1 */
typedef struct pb_media {
  uint32_t size;
  uint32_t loops; /* number of media loops */

  /* [any] fn(user, tick) [media] on that loop (or the least busy one, PB_LOOP_ANY) each tick. */
  uint64_t (*attach)(void* host, uint32_t loop, pb_tick_fn fn, void* user) PB_NOEXCEPT;
  /* [any] [media] done(user) on the loop's thread, after the last tick. */
  void (*detach)(void* host, uint64_t attachment, pb_fn done, void* user) PB_NOEXCEPT;

  /* [any] Makes a port known; the handle may be passed to other plugins. */
  uint64_t (*port_create)(void* host, const pb_port* port, void* self) PB_NOEXCEPT;
  /* [any] The port can no longer be opened; done(user) on the main strand once nobody has it open. */
  void (*port_close)(void* host, uint64_t port, pb_fn done, void* user) PB_NOEXCEPT;
  /* [any] For who joins: *table and *self of the port, valid until the returned opening is released; 0 when
   * gone. */
  uint64_t (*port_open)(void* host, uint64_t port, const pb_port** table, void** self) PB_NOEXCEPT;
  /* [any] Gives an opening back; its table and self may not be used after that. */
  void (*port_release)(void* host, uint64_t opening) PB_NOEXCEPT;
} pb_media;
#define PB_MEDIA_FLOOR 56u /* of 0.1 */
#define PB_LOOP_ANY 0xffffffffu

#endif
