#include "login/pages.h"

#include <doctest/doctest.h>

using namespace patchbay::identity;

namespace {

bool has_text(const std::string& page, const std::string& text) {
  return page.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("everything on a page is escaped") {
  const std::string evil = "\"'><script>x</script>";
  for (const std::string& page :
       {login_html({evil, evil, evil, evil, evil}), logout_html({evil, evil, evil}), notice_html(evil, evil)})
    CHECK_FALSE(has_text(page, "<script"));
}

TEST_CASE("the login page has labels, and the focus where typing continues") {
  const std::string first = login_html({"a.example", "Portal", "", "t", ""});
  CHECK(has_text(first, "<label for=\"username\">"));
  CHECK(has_text(first, "<label for=\"password\">"));
  CHECK(has_text(first, "autocomplete=\"current-password\""));
  CHECK_FALSE(has_text(first, "role=\"alert\""));
  CHECK(first.find("autofocus") < first.find("id=\"password\""));
  const std::string again = login_html({"a.example", "Portal", "alice", "t", "Wrong."});
  CHECK(has_text(again, "role=\"alert\""));
  CHECK(again.find("autofocus") > again.find("id=\"password\""));
}
