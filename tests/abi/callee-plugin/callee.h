// The service of the callee plugin, which the tests run in the server's process and isolated.
#pragma once

#include <patchbay/service.h>

namespace patchbay::callee {

struct Say {
  std::string text;
  int64_t number = 0;
  double ratio = 0;
  bool loud = false;
  Buffer bytes;
  Handle listener;  // instance of Listener; 0: none
  PATCHBAY_FIELDS(text, number, ratio, loud, bytes, listener)
};

struct Said {
  std::string text;
  int64_t number = 0;
  double ratio = 0;
  Buffer bytes;
  int64_t pid = 0;  // of the answering process
  PATCHBAY_FIELDS(text, number, ratio, bytes, pid)
};

struct PortOf {
  Handle port;
  PATCHBAY_FIELDS(port)
};

struct StampPort {
  bool paced = false;
  PATCHBAY_FIELDS(paced)
};

// The first bytes of a frame's samples: when it was passed on, monotonic. A stamp port returns them with its
// own.
struct Stamps {
  int64_t sent_ns;
  int64_t received_ns;
};

struct Listener {
  static constexpr char id[] = "test.callee.listener/1";
  static constexpr Method<0, Said, Said> told{"told"};
  static constexpr auto methods() { return std::make_tuple(told); }
};

// say: returns the message, modified; calls the listener first, if any, and returns its text. A negative
// number is an error. never: is not answered. port: an audio port of 16 kHz that echoes each sample plus one.
// close_port: replies once it is closed. word: returns the configured word. surroundings: text is the
// environment and the targets of open descriptors, number the count of open files and sockets except 0 to 3.
// left: number is the count of listeners that have ended after a call. stamp_port: a new audio port of 16 kHz
// that returns each frame with the time when it came: at once, or if it is paced when it is pulled.
struct Callee {
  static constexpr char id[] = "test.callee/1";
  static constexpr Method<0, Say, Said> say{"say"};
  static constexpr Method<1, Say, Said> never{"never"};
  static constexpr Method<2, Empty, PortOf> port{"port"};
  static constexpr Method<3, Empty, Empty> close_port{"close_port"};
  static constexpr Method<4, Say, Said> say_inline{"say_inline", PB_METHOD_ANY};
  static constexpr Method<5, Empty, Said> word{"word"};
  static constexpr Method<6, Empty, Said> surroundings{"surroundings"};
  static constexpr Method<7, Empty, Said> left{"left"};
  static constexpr Method<8, StampPort, PortOf> stamp_port{"stamp_port"};
  static constexpr auto methods() {
    return std::make_tuple(say, never, port, close_port, say_inline, word, surroundings, left, stamp_port);
  }
};

}  // namespace patchbay::callee
