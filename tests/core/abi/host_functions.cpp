// The rows of the host's functions, compared with the headers of the boundary.
#include "abi/host_functions.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

namespace {

using namespace patchbay::core;

struct Declared {
  std::string name;
  std::string tags;  // "[any] [media] "
};

// The functions of a table as its header declares them, each with the tags that its comment begins with.
std::vector<Declared> declared(const std::string& table) {
  std::ifstream in(std::string(PATCHBAY_ABI_FOLDER) + "/" + table + ".h");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const size_t begin = text.find("typedef struct pb_" + table + " {");
  const std::string body = text.substr(begin, text.find("} pb_" + table + ";") - begin);
  const std::regex function(R"(/\* ((?:\[\w+\]\s+)*)(?:(?!\*/)[^])*\*/[^;(]*\(\*(\w+)\)\()");
  std::vector<Declared> all;
  for (std::sregex_iterator at(body.begin(), body.end(), function), end; at != end; ++at)
    all.push_back({(*at)[2], (*at)[1]});
  return all;
}

}  // namespace

TEST_CASE("the rows of the host's functions are the functions of the headers, in their order") {
  for_each_table_type([]<class T>() {
    const auto functions = declared(HostTable<T>::name);
    CAPTURE(HostTable<T>::name);
    REQUIRE(functions.size() == std::tuple_size_v<decltype(HostTable<T>::functions)>);
    const T table{};
    for_each_function<T>([&]<size_t I>() {
      constexpr auto row = host_function<T, I>();
      CHECK(row.name == functions[I].name);
      const auto offset =
          reinterpret_cast<const char*>(&(table.*row.member)) - reinterpret_cast<const char*>(&table);
      CHECK(static_cast<size_t>(offset) == sizeof(uint64_t) + I * sizeof(void*));
    });
  });
}

TEST_CASE("a function may be called on media loops by its row when its header says so") {
  for_each_table_type([]<class T>() {
    const auto functions = declared(HostTable<T>::name);
    for_each_function<T>([&]<size_t I>() {
      constexpr auto row = host_function<T, I>();
      const Declared& function = functions.at(I);
      CAPTURE(row.name);
      CHECK(function.tags.find("[any]") == 0);
      CHECK((function.tags.find("[media]") != std::string::npos) == (row.on_media == OnMedia::allowed));
    });
  });
}

TEST_CASE("what one function opens another closes") {
  for (size_t kind = 1; kind < kHandleKinds; ++kind) {
    CAPTURE(name_of(static_cast<HandleKind>(kind)));
    int opens = 0, closes = 0;
    for_each_table_type([&]<class T>() {
      for_each_function<T>([&]<size_t I>() {
        constexpr auto row = host_function<T, I>();
        opens += static_cast<size_t>(row.opens) == kind ? 1 : 0;
        closes += static_cast<size_t>(row.closes) == kind ? 1 : 0;
      });
    });
    CHECK(opens > 0);
    CHECK(closes > 0);
  }
}

TEST_CASE("a table is found by its id, and not when more bytes are asked for than it has") {
  pb_bus bus{};
  bus.size = sizeof bus;
  pb_media media{};
  media.size = sizeof media;
  const pb_runtime runtime{};
  const pb_observe observe{};
  const pb_json json{};
  const pb_store store{};
  const pb_services services{};
  const HostTablePointers tables{&runtime, &observe, &json, &bus, &store, &services, &media};
  CHECK(find_table(tables, PB_BUS_ID, PB_BUS_FLOOR) == &bus);
  CHECK(find_table(tables, PB_MEDIA_ID, sizeof(pb_media)) == &media);
  CHECK(find_table(tables, PB_BUS_ID, sizeof(pb_bus) + 8) == nullptr);
  CHECK(find_table(tables, "patchbay.bus/2", 0) == nullptr);
}
