// webhook-receiver SECRET LOG_FILE [PORT]: runs until its standard input is closed. Prints "port=N" first.
#include <cstdio>
#include <cstdlib>

#include "support/webhook_receiver.h"

int main(int count, char** arguments) {
  if (count < 3) {
    std::fputs("usage: webhook-receiver SECRET LOG_FILE [PORT]\n", stderr);
    return 2;
  }
  patchbay::test::WebhookReceiver::Options options;
  options.secret = arguments[1];
  options.log_file = arguments[2];
  if (count > 3) options.port = static_cast<uint16_t>(std::atoi(arguments[3]));
  const patchbay::test::WebhookReceiver receiver(options);
  std::printf("port=%u\n", receiver.port());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}
