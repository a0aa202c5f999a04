#include "isolation/services/interface_wire.h"

#include <doctest/doctest.h>

#include "abi/callee-plugin/callee.h"

using namespace patchbay;
using namespace patchbay::core::isolation;

TEST_CASE("an interface is decoded as a table, and one with a field outside its struct is refused") {
  const pb_interface& table = detail::InterfaceTable<callee::Callee>::table;
  Encoder out(Kind::provide);
  put_interface(out, table);
  Decoder in(out.frame());
  in.kind();
  InterfaceShare share{{}};
  const pb_interface* arrived = get_interface(in, share).interface;
  REQUIRE(arrived != nullptr);
  CHECK(from_abi(arrived->id) == "test.callee/1");
  REQUIRE(arrived->method_count == table.method_count);
  CHECK(from_abi(arrived->methods[3]->name) == "close_port");
  CHECK(arrived->methods[0]->request->struct_size == detail::Shape<callee::Say>::shape.struct_size);

  pb_field outside{sizeof(pb_field), PB_FIELD_STR, 8, 0, to_abi("x")};
  const pb_field* const fields[] = {&outside};
  const pb_shape bad{sizeof(pb_shape), 16, 1, 0, fields};
  const pb_method method{sizeof(pb_method), 0, to_abi("m"), &bad, &bad};
  const pb_method* const methods[] = {&method};
  const pb_interface wrong{sizeof(pb_interface), 1, to_abi("bad/1"), methods};
  Encoder invalid(Kind::provide);
  put_interface(invalid, wrong);
  Decoder read(invalid.frame());
  read.kind();
  CHECK(get_interface(read, share).invalid);
}
