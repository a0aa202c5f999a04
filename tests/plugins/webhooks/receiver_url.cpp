#include "receiver_url.h"

#include <doctest/doctest.h>

using namespace patchbay;
using namespace patchbay::webhooks;

TEST_CASE("receivers are http and https without a user name") {
  for (const std::string url :
       {"https://example.com/hook", "http://example.com", "https://example.com:8443/a?b=c@d",
        "https://example.com/a@b", "HTTPS://EXAMPLE.com/", "https://[2606:4700::1111]/x",
        "https://203.0.114.7/"}) {
    INFO(url);
    CHECK(check_receiver_url(url, false).ok());
  }
  for (const std::string url : {"",
                                "example.com",
                                "/hook",
                                "ftp://example.com/",
                                "file:///etc/passwd",
                                "gopher://example.com/_x",
                                "https://user@example.com/",
                                "https://user:pw@example.com/",
                                "http:/user:pw@example.com/",
                                "https:example.com/",
                                "http:\\\\user@example.com/",
                                "https://@example.com/",
                                "https://",
                                "https:///hook",
                                "https://exa mple.com/",
                                "https://example.com/\r\nX: y",
                                "https://example.com/\x7f",
                                "https://ex\xc3\xa4mple.com/",
                                "javascript:alert(1)",
                                "https://[::1/"}) {
    INFO(url);
    CHECK_FALSE(check_receiver_url(url, true).ok());
  }
  CHECK_FALSE(check_receiver_url("https://example.com/" + std::string(2048, 'x'), true).ok());
}

TEST_CASE("hosts that are plainly not public need allowPrivateReceivers") {
  for (const std::string url :
       {"http://127.0.0.1/", "http://localhost:8080/", "http://LOCALHOST./", "http://a.localhost/",
        "http://10.1.2.3/", "http://[::1]/", "http://[::ffff:7f00:1]/",
        "http://169.254.169.254/latest/meta-data", "http://2130706433/", "http://0x7f000001/",
        "http://0177.0.0.1/", "http://127.1/", "http://0/"}) {
    INFO(url);
    const Status refused = check_receiver_url(url, false);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().text.find("allowPrivateReceivers") != std::string::npos);
    CHECK(check_receiver_url(url, true).ok());
  }
}

TEST_CASE("logs name a receiver without its path") {
  CHECK(loggable("https://hooks.example.com:8443/services/T0/KEY?x=y") == "https://hooks.example.com:8443");
  CHECK(loggable("http://example.com") == "http://example.com");
}
