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
