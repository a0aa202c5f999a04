#include <cstdio>
#include <exception>

#include "verbs/verbs.h"

int main(int count, char** arguments) {
  try {
    return patchbay::app::run_command_line(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "patchbay: %s\n", error.what());
    return patchbay::app::kRefused;
  }
}
