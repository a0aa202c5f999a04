#include "form.h"

#include <doctest/doctest.h>

using patchbay::identity::Form;

TEST_CASE("a form is decoded once") {
  const auto form = Form::parse("a=1+2&b=%2B%25%41&c=&d&e=%C3%A4&f=x=y");
  REQUIRE(form);
  CHECK((*form)["a"] == "1 2");
  CHECK((*form)["b"] == "+%A");
  CHECK((*form)["c"] == "");
  CHECK((*form)["d"] == "");
  CHECK((*form)["e"] == "\xc3\xa4");
  CHECK((*form)["f"] == "x=y");
  CHECK((*form)["unknown"] == "");
  CHECK(Form::parse(""));
  CHECK(Form::parse("&&a=1&"));
}

TEST_CASE("an ambiguous form is refused") {
  CHECK_FALSE(Form::parse("a=1&a=2"));
  CHECK_FALSE(Form::parse("a=1&%61=2"));
  CHECK_FALSE(Form::parse("a=%"));
  CHECK_FALSE(Form::parse("a=%4"));
  CHECK_FALSE(Form::parse("a=%zz"));
  CHECK_FALSE(Form::parse("a=%00"));
  CHECK_FALSE(Form::parse("a=" + std::string(16'384, 'x')));
  std::string many;
  for (int i = 0; i < 65; ++i) many += "f" + std::to_string(i) + "=&";
  CHECK_FALSE(Form::parse(many));
}

TEST_CASE("the error of a form names the field and the rule, not what was sent") {
  const auto fault = [](const char* body) {
    const auto form = Form::parse(body);
    return form ? std::string() : form.error().text;
  };
  CHECK(fault("grant_type=password&username=a%00b") == "username must not hold the character U+0000");
  CHECK(fault("client_id=%zz") ==
        "client_id must have two hex digits after each percent sign, for example %20");
  for (const char* body : {"username=%ED%A0%80", "username=%FF", "username=\xff"})
    CHECK(fault(body) == "username must be UTF-8, for example %C3%A4 for the letter U+00E4");
  CHECK(fault("username=a&username=b") == "username must be given once only");
  CHECK(fault("%00=a") == "a field of the form must not hold the character U+0000");
  CHECK(fault("%3Cscript%3E=%00") == "a field of the form must not hold the character U+0000");
}
