// The text of sdk/include/patchbay/abi: no type that two compilers may lay out differently, and nothing of
// what was released changed or moved.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Members = std::vector<std::string>;

std::string read(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string one_space(const std::string& text) {
  const std::string single = std::regex_replace(text, std::regex("\\s+"), " ");
  const std::string tight = std::regex_replace(single, std::regex(" ?([*(),;]) ?"), "$1");
  return std::regex_replace(tight, std::regex("^ | $"), "");
}

// Without comments and preprocessor lines.
std::string code_of(const std::filesystem::path& header) {
  std::string text = std::regex_replace(read(header), std::regex("/\\*[^*]*\\*+([^/*][^*]*\\*+)*/"), "");
  text = std::regex_replace(text, std::regex("\\\\\n"), " ");
  return std::regex_replace(text, std::regex("(^|\n)[ \t]*#[^\n]*"), "\n");
}

std::map<std::string, std::string> headers() {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(PATCHBAY_ABI_FOLDER))
    all.emplace(entry.path().filename().string(), code_of(entry.path()));
  return all;
}

// Each struct with its members as they are written, in order.
std::map<std::string, Members> structs() {
  std::map<std::string, Members> all;
  const std::regex form("struct\\s+(pb_\\w+)\\s*\\{([^{}]*)\\}");
  for (const auto& [name, code] : headers()) {
    for (std::sregex_iterator at(code.begin(), code.end(), form), end; at != end; ++at) {
      Members& members = all[(*at)[1]];
      std::istringstream body((*at)[2]);
      for (std::string member; std::getline(body, member, ';');)
        if (member = one_space(member); !member.empty()) members.push_back(member);
    }
  }
  return all;
}

// "pb_bus: uint32_t size" per line, in order.
std::map<std::string, Members> golden() {
  std::map<std::string, Members> all;
  std::ifstream file(PATCHBAY_GOLDEN_BOUNDARY);
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (colon != std::string::npos) all[line.substr(0, colon)].push_back(line.substr(colon + 2));
  }
  return all;
}

}  // namespace

TEST_CASE("the boundary holds no type that compilers or languages lay out differently") {
  const std::regex forbidden(
      "\\b(enum|bool|_Bool|long|short|int|unsigned|signed|float|wchar_t|size_t|time_t|union|va_list|FILE|std|"
      "template|class|virtual|namespace|operator|using)\\b|\\.\\.\\.|&|\\[\\s*\\]|\\w\\s*:\\s*[0-9]");
  const auto all = headers();
  REQUIRE(all.size() >= 9);
  for (const auto& header : all) {
    const std::string& name = header.first;
    const std::string& code = header.second;
    std::smatch found;
    if (std::regex_search(code, found, forbidden)) {
      CAPTURE(name);
      FAIL_CHECK(found.prefix().str().substr(found.prefix().length() > 60 ? found.prefix().length() - 60 : 0)
                 << " >>> " << found.str());
    }
  }
}

TEST_CASE("no function of the boundary returns by value more than two registers hold") {
  const std::regex function("([A-Za-z_][\\w ]*[\\w*])\\(\\*\\w+\\)\\(");
  const std::vector<std::string> small{"void",     "int32_t", "uint32_t", "int64_t",
                                       "uint64_t", "double",  "pb_str"};
  size_t functions = 0;
  for (const auto& [name, members] : structs()) {
    for (const std::string& member : members) {
      std::smatch found;
      if (!std::regex_search(member, found, function)) continue;
      ++functions;
      const std::string result = found[1];
      CAPTURE(member);
      CHECK((result.back() == '*' || std::find(small.begin(), small.end(), result) != small.end()));
    }
  }
  CHECK(functions > 80);
}

TEST_CASE("every function of the boundary is noexcept in C++") {
  for (const auto& [name, members] : structs()) {
    for (const std::string& member : members) {
      if (member.find("(*") == std::string::npos) continue;
      CAPTURE(member);
      CHECK(member.find("PB_NOEXCEPT") != std::string::npos);
    }
  }
}

TEST_CASE("every table and struct that may grow starts with its size") {
  const std::vector<std::string> frozen{"pb_str", "pb_buf", "pb_pair", "pb_value", "pb_entry"};
  for (const auto& each : structs()) {
    const std::string& name = each.first;
    const Members& members = each.second;
    if (std::find(frozen.begin(), frozen.end(), name) != frozen.end()) continue;
    CAPTURE(name);
    REQUIRE(!members.empty());
    CHECK(members.front() == "uint32_t size");
  }
}

TEST_CASE("what was released of the boundary is the beginning of what is there now") {
  const auto now = structs();
  const auto released = golden();
  CHECK(released.size() > 25);
  for (const auto& each : released) {
    const std::string& name = each.first;
    const Members& members = each.second;
    CAPTURE(name);
    REQUIRE(now.count(name) == 1);
    const Members& current = now.at(name);
    for (size_t i = 0; i < members.size(); ++i)
      CHECK_MESSAGE((i < current.size() && current[i] == members[i]), "was: ", members[i]);
  }
  for (const auto& [name, members] : now) {
    const auto known = released.find(name);
    const size_t before = known == released.end() ? 0 : known->second.size();
    if (before < members.size())
      FAIL_CHECK(name << " has grown: append to boundary.golden: " << name << ": " << members[before]);
  }
}
