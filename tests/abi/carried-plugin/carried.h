// The service of the plugin that the tests run on both sides of the process boundary.
#pragma once

#include <patchbay/service.h>

namespace patchbay::carried {

struct Say {
  std::string text;
  int64_t number = 0;
  double ratio = 0;
  bool loud = false;
  Buffer bytes;
  Handle listener;  // of Listener; 0: nobody
  PATCHBAY_FIELDS(text, number, ratio, loud, bytes, listener)
};

struct Said {
  std::string text;
  int64_t number = 0;
  double ratio = 0;
  Buffer bytes;
  int64_t pid = 0;  // of the process that answers
  PATCHBAY_FIELDS(text, number, ratio, bytes, pid)
};

struct PortOf {
  Handle port;
  PATCHBAY_FIELDS(port)
};

struct Listener {
  static constexpr char id[] = "test.carried.listener/1";
  static constexpr Method<0, Said, Said> told{"told"};
  static constexpr auto methods() { return std::make_tuple(told); }
};

// say: what was said, changed; a listener is asked first, and its text is part of the answer. A negative
// number is an error. never: is not answered. port: an audio port of 16 kHz that gives back each sample it
// took, plus one. close_port: replies when it is closed. word: of the configuration. surroundings: text is
// the environment and what the open descriptors are, number how many files and sockets are open beside 0 to
// 3. left: number is how many listeners have ended since they were asked.
struct Carried {
  static constexpr char id[] = "test.carried/1";
  static constexpr Method<0, Say, Said> say{"say"};
  static constexpr Method<1, Say, Said> never{"never"};
  static constexpr Method<2, Empty, PortOf> port{"port"};
  static constexpr Method<3, Empty, Empty> close_port{"close_port"};
  static constexpr Method<4, Say, Said> say_inline{"say_inline", PB_METHOD_ANY};
  static constexpr Method<5, Empty, Said> word{"word"};
  static constexpr Method<6, Empty, Said> surroundings{"surroundings"};
  static constexpr Method<7, Empty, Said> left{"left"};
  static constexpr auto methods() {
    return std::make_tuple(say, never, port, close_port, say_inline, word, surroundings, left);
  }
};

}  // namespace patchbay::carried
