// The boundary as its headers' text says it, and as it was recorded (boundary.golden): structs with their
// members, types of functions, constants.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace patchbay::boundary {

struct Member {
  std::string text;     // "int32_t(*publish)(void*host,const pb_event*event)PB_NOEXCEPT", one way of spacing
  int64_t offset = -1;  // -1: not said by the text
  std::string name() const;
  bool is_function() const { return text.find("(*") != std::string::npos; }
};

// What a name of the boundary stands for. Types of functions ("pb_fn") and constants ("PB_OK") have one
// member without an offset.
using Shapes = std::map<std::string, std::vector<Member>>;

// The code of each header in the folder, without comments, by file name.
std::map<std::string, std::string> headers(const std::filesystem::path& folder);
// Each struct in it.
Shapes structs(const std::filesystem::path& folder);
// Each struct, type of function and constant.
Shapes shapes(const std::filesystem::path& folder);

Shapes golden(const std::filesystem::path& file);

// How `now` breaks what was recorded: a sentence for each name, which names the member.
std::vector<std::string> breaks(const Shapes& recorded, const Shapes& now);
// The lines that `recorded` lacks.
std::vector<std::string> unrecorded(const Shapes& recorded, const Shapes& now);

// A translation unit of C11 and C++17 that compiles only where the headers in the include path hold what was
// recorded, at its offsets and of its types. Each failure names the member.
std::string witness(const Shapes& recorded);
// PB_SLOT(struct, member) for each function of each struct.
std::string slots(const Shapes& now);

}  // namespace patchbay::boundary
