#include "bench/sip/caller.h"

#include <chrono>
#include <string>

#include "support/child_process.h"
#include "support/free_ports.h"

namespace patchbay::bench {

Status call(uint16_t port, int calls, int per_second) {
  const test::TempFolder folder;
  PB_TRY_VALUE(test::Child sipp, test::Child::spawn({"sipp",
                                                     "127.0.0.1:" + std::to_string(port),
                                                     "-sn",
                                                     "uac",
                                                     "-s",
                                                     kCalled,
                                                     "-i",
                                                     "127.0.0.1",
                                                     "-p",
                                                     std::to_string(test::free_port()),
                                                     "-mp",
                                                     std::to_string(test::free_port()),
                                                     "-m",
                                                     std::to_string(calls),
                                                     "-r",
                                                     std::to_string(per_second),
                                                     "-l",
                                                     std::to_string(per_second),
                                                     "-nostdin",
                                                     "-timeout",
                                                     "120s",
                                                     "-timeout_error",
                                                     "-trace_err",
                                                     "-error_file",
                                                     folder.file("errors")},
                                                    folder.path(), folder.file("output")));
  const int code = sipp.wait(std::chrono::seconds(130)).value_or(-1);
  if (code == 0) return {};
  return {Code::failed, "SIPp ended with " + std::to_string(code) + ": " +
                            test::read_text(folder.file("errors")).substr(0, 2000)};
}

}  // namespace patchbay::bench
