#include "mail/mail_address.h"

#include <doctest/doctest.h>

#include <string>

using patchbay::transcripts::is_mail_address;

TEST_CASE("addresses that SMTP takes as they are") {
  for (const char* address : {"ops@example.com", "a@b", "first.last+tag@sub.example.co.uk",
                              "o'neil@example.com", "x_y-z=1@127.example", "UPPER@EXAMPLE.COM"})
    CHECK_MESSAGE(is_mail_address(address), address);
}

TEST_CASE("addresses that could end a command or a header are refused") {
  for (const char* address : {"",
                              "@",
                              "a@",
                              "@b",
                              "a",
                              "a b@c.de",
                              "a@b c",
                              "a@b\r\nRCPT TO:<x@y.de>",
                              "a\r\n@b.de",
                              "a@b.de>",
                              "<a@b.de",
                              "a@b.de,c@d.de",
                              "a@b..de",
                              ".a@b.de",
                              "a.@b.de",
                              "a..b@c.de",
                              "a@-b.de",
                              "a@b-.de",
                              "a@b.de.",
                              "\"a b\"@c.de",
                              "a@[127.0.0.1]",
                              "a@b@c.de",
                              "\xC3\xA4@b.de",
                              "a@\xC3\xA4.de",
                              "a\t@b.de",
                              "a@b.de ",
                              "a(x)@b.de"})
    CHECK_MESSAGE(!is_mail_address(address), address);
  CHECK_FALSE(is_mail_address(std::string_view("a\0@b.de", 7)));
  CHECK_FALSE(is_mail_address(std::string(65, 'a') + "@b.de"));
  CHECK_FALSE(is_mail_address("a@" + std::string(64, 'b') + ".de"));
}
