#include "support/boundary_text.h"

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>

namespace patchbay::boundary {
namespace {

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

std::string without_comments(const std::string& text) {
  const std::string code = std::regex_replace(text, std::regex("/\\*[^*]*\\*+([^/*][^*]*\\*+)*/"), "");
  return std::regex_replace(code, std::regex("\\\\\n"), " ");
}

std::string without_directives(const std::string& code) {
  return std::regex_replace(code, std::regex("(^|\n)[ \t]*#[^\n]*"), "\n");
}

void add_function_types(const std::string& code, Shapes& all) {
  const std::regex form("typedef ([^;{}]*\\(\\*(pb_\\w+)\\)[^;{}]*);");
  for (std::sregex_iterator at(code.begin(), code.end(), form), end; at != end; ++at)
    all[(*at)[2]].push_back({one_space((*at)[1])});
}

void add_constants(const std::string& code, Shapes& all) {
  const std::regex form("#define (PB_\\w+) ([^\n]+)");
  for (std::sregex_iterator at(code.begin(), code.end(), form), end; at != end; ++at) {
    const std::string name = (*at)[1];
    // The first two differ between the languages; the minor version is informative.
    if (name == "PB_NOEXCEPT" || name == "PB_EXTERN_C" || name == "PB_ABI_MINOR") continue;
    all[name].push_back({one_space((*at)[2])});
  }
}

std::string quoted(const std::string& text) { return "`" + text + "`"; }

// The first incompatibility of `now` with `was`; "" if only members were appended.
std::string broken(const std::string& name, const std::vector<Member>& was, const std::vector<Member>& now) {
  for (size_t i = 0; i < was.size(); ++i) {
    const Member& member = was[i];
    const bool there = i < now.size();
    if (there && now[i].text == member.text) continue;
    const auto changed = [&](const std::string& what, const Member& is) {
      return what + " has changed: it was " + quoted(member.text) + " and is " + quoted(is.text);
    };
    if (member.offset < 0) return changed(name, now.front());
    const auto find = [&](auto same) { return std::find_if(now.begin(), now.end(), same) != now.end(); };
    const std::string full = name + "." + member.name();
    if (find([&](const Member& each) { return each.text == member.text; })) {
      return full + " has moved" + (there ? ": before it stands " + quoted(now[i].text) : "");
    }
    const auto renewed = [&](const Member& each) { return each.name() == member.name(); };
    const auto at = std::find_if(now.begin(), now.end(), renewed);
    if (at != now.end()) return changed(full, *at);
    return full + " is gone: it was " + quoted(member.text);
  }
  return "";
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

std::string witness_of_struct(const std::string& name, const std::vector<Member>& members) {
  std::string out = "struct was_" + name + " {\n";
  for (const Member& member : members) out += "  " + member.text + ";\n";
  out += "};\nPB_STATIC_ASSERT(sizeof(struct " + name + ") >= sizeof(struct was_" + name + "), \"" + name +
         " lost a member\");\n";
  for (const Member& member : members) {
    const std::string full = name + ", " + member.name();
    out += "AT(" + full + ", " + std::to_string(member.offset) + ");\nSAME(" + full + ");\n";
  }
  return out;
}

constexpr const char* kWitnessHead = R"(#include <patchbay/abi.h>
#ifdef __cplusplus
#include <type_traits>
#define SAME_TYPE(a, b) (std::is_same<a, b>::value)
#define TYPE_OF(s, m) decltype(s::m)
#else
#define SAME_TYPE(a, b) _Generic((a*)0, b*: 1, default: 0)
#define TYPE_OF(s, m) __typeof__(((struct s*)0)->m)
#endif
#define AT(s, m, o) PB_STATIC_ASSERT(offsetof(struct s, m) == (o), #s "." #m " has moved")
#define SAME(s, m) PB_STATIC_ASSERT(SAME_TYPE(TYPE_OF(s, m), TYPE_OF(was_##s, m)), #s "." #m " has changed")
)";

}  // namespace

std::string Member::name() const {
  std::smatch found;
  if (std::regex_search(text, found, std::regex("\\(\\*(\\w+)\\)"))) return found[1];
  if (std::regex_search(text, found, std::regex("(\\w+)(\\[\\d+\\])?$"))) return found[1];
  return text;
}

std::map<std::string, std::string> headers(const std::filesystem::path& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    all.emplace(entry.path().filename().string(), without_directives(without_comments(read(entry.path()))));
  return all;
}

Shapes structs(const std::filesystem::path& folder) {
  Shapes all;
  const std::regex form("struct\\s+(pb_\\w+)\\s*\\{([^{}]*)\\}");
  for (const auto& [name, code] : headers(folder)) {
    for (std::sregex_iterator at(code.begin(), code.end(), form), end; at != end; ++at) {
      std::vector<Member>& members = all[(*at)[1]];
      std::istringstream body((*at)[2]);
      for (std::string member; std::getline(body, member, ';');)
        if (member = one_space(member); !member.empty()) members.push_back({member});
    }
  }
  return all;
}

Shapes shapes(const std::filesystem::path& folder) {
  Shapes all = structs(folder);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string code = without_comments(read(entry.path()));
    add_function_types(without_directives(code), all);
    add_constants(code, all);
  }
  return all;
}

// "pb_bus 8: int32_t(*publish)(...)", "pb_fn: void(*pb_fn)(void*user)PB_NOEXCEPT" or "PB_OK: 0" per line.
Shapes golden(const std::filesystem::path& file) {
  Shapes all;
  std::ifstream in(file);
  const std::regex form("(\\w+)( (\\d+))?: (.*)");
  for (std::string line; std::getline(in, line);) {
    std::smatch found;
    if (!std::regex_match(line, found, form)) continue;
    all[found[1]].push_back({found[4], found[3].matched ? std::stoll(found[3]) : -1});
  }
  return all;
}

std::vector<std::string> breaks(const Shapes& recorded, const Shapes& now) {
  std::vector<std::string> all;
  for (const auto& [name, members] : recorded) {
    const auto at = now.find(name);
    const std::string why = at == now.end() ? name + " is gone" : broken(name, members, at->second);
    if (!why.empty()) all.push_back(why);
  }
  return all;
}

std::vector<std::string> unrecorded(const Shapes& recorded, const Shapes& now) {
  std::vector<std::string> all;
  for (const auto& [name, members] : now) {
    const auto known = recorded.find(name);
    const bool is_struct = members.size() > 1;
    for (size_t i = known == recorded.end() ? 0 : known->second.size(); i < members.size(); ++i)
      all.push_back(name + (is_struct ? " <offset>: " : ": ") + members[i].text);
  }
  return all;
}

std::string witness(const Shapes& recorded) {
  std::string out = kWitnessHead;
  for (const auto& [name, members] : recorded) {
    const std::string& text = members.front().text;
    if (members.front().offset >= 0) {
      out += witness_of_struct(name, members);
    } else if (name.rfind("pb_", 0) == 0) {
      out += "typedef " + replaced(text, "(*" + name + ")", "(*was_" + name + ")") + ";\n";
      out += "PB_STATIC_ASSERT(SAME_TYPE(" + name + ", was_" + name + "), \"" + name + " has changed\");\n";
    } else if (text.front() != '"') {
      out += "PB_STATIC_ASSERT((" + name + ") == (" + text + "), \"" + name + " has changed\");\n";
    }
  }
  return out;
}

std::string slots(const Shapes& now) {
  std::string out;
  for (const auto& [name, members] : now) {
    if (members.size() < 2) continue;
    for (const Member& member : members)
      if (member.is_function()) out += "PB_SLOT(" + name + ", " + member.name() + ")\n";
  }
  return out;
}

}  // namespace patchbay::boundary
