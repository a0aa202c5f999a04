// boundary check <folder of abi headers> <golden file>     prints incompatibilities with the record; 1 if any
// boundary append <folder of abi headers> <golden file>    prints the lines that the record lacks
// boundary witness <golden file>                           prints the record as a translation unit
// boundary slots <folder of abi headers>                   prints every function of every struct
#include <cstdio>
#include <string>

#include "support/boundary_text.h"

int main(int argc, char** argv) {
  using namespace patchbay::boundary;
  const std::string verb = argc > 2 ? argv[1] : "";
  if (verb == "check" && argc == 4) {
    const auto broken = breaks(golden(argv[3]), shapes(argv[2]));
    for (const std::string& each : broken) std::puts(each.c_str());
    return broken.empty() ? 0 : 1;
  }
  if (verb == "append" && argc == 4) {
    for (const std::string& each : unrecorded(golden(argv[3]), shapes(argv[2]))) std::puts(each.c_str());
    return 0;
  }
  if (verb == "witness" || verb == "slots") {
    const std::string text = verb == "witness" ? witness(golden(argv[2])) : slots(structs(argv[2]));
    std::fputs(text.c_str(), stdout);
    return text.empty() ? 1 : 0;
  }
  std::fputs("boundary check|append <folder> <golden> | witness <golden> | slots <folder>\n", stderr);
  return 2;
}
