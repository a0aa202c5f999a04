#include "inspection.h"

#include <doctest/doctest.h>
#include <elf.h>
#include <patchbay/abi/plugin.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "support/child.h"

using namespace patchbay;
using app::Examination;
using app::examine_plugin;
using app::examine_plugin_bytes;

namespace {

std::string read(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
const std::string& good() {
  static const std::string bytes = read(TEST_C_PLUGIN);
  return bytes;
}

// The good file with other bytes in the place of the first `from`.
std::string patched(const std::string& from, const std::string& to) {
  std::string bytes = good();
  const size_t at = bytes.find(from);
  REQUIRE(at != std::string::npos);
  return bytes.replace(at, from.size(), to);
}
// With another value of `size` bytes at an offset of the entry.
std::string entry_with(size_t offset, uint32_t value, size_t size) {
  const uint32_t head[] = {PB_MAGIC, sizeof(pb_entry)};
  std::string bytes = good();
  const size_t at = bytes.find(std::string(reinterpret_cast<const char*>(head), sizeof head));
  REQUIRE(at != std::string::npos);
  std::memcpy(bytes.data() + at + offset, &value, size);
  return bytes;
}
std::string reason(const Examination& seen) {
  return seen.reason() != nullptr ? seen.reason()->sentence() : "";
}
std::string reason(std::string bytes) { return reason(examine_plugin_bytes(std::move(bytes))); }
bool begins(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }

// Written to a file, so that its libraries are looked for, too.
Examination examined_file(const std::string& bytes) {
  const test::TempFolder folder;
  std::ofstream(folder.file("c-plugin.so"), std::ios::binary) << bytes;
  return examine_plugin(folder.file("c-plugin.so"));
}

}  // namespace

TEST_CASE("a plugin as patchbay_add_plugin builds it has nothing to be said about") {
  const Examination seen = examine_plugin(TEST_C_PLUGIN);
  CHECK(reason(seen) == "");
  CHECK(seen.findings.empty());
  REQUIRE(seen.entry.has_value());
  CHECK(seen.entry->abi_major == PB_ABI_MAJOR);
  CHECK(seen.entry->size == sizeof(pb_entry));
  REQUIRE(seen.source.has_value());
  CHECK(seen.source->manifest.id == "c-plugin");
}

TEST_CASE("what is not a plugin's file says what it is and what to give instead") {
  CHECK(begins(reason(examine_plugin("/nowhere/x.so")), "it cannot be read: No such file"));
  CHECK(reason("#!/bin/sh\n") == "it is not a shared object; give the .so that patchbay_add_plugin built");
  CHECK(reason("") == "it is not a shared object; give the .so that patchbay_add_plugin built");
  CHECK(reason(good().substr(0, 40)) == "it is cut short; copy or build it again");
  CHECK(reason(good().substr(0, good().size() - 100)) == "it is cut short; copy or build it again");
  std::string other = good();
  other[offsetof(Elf64_Ehdr, e_machine)] = static_cast<char>(EM_ARM);
  CHECK(begins(reason(other), "it is built for 32-bit arm, this machine is "));
  other = good();
  other[EI_CLASS] = ELFCLASS32;
  CHECK(begins(reason(other), "it is built for "));
  other = good();
  other[offsetof(Elf64_Ehdr, e_type)] = ET_REL;
  CHECK(begins(reason(other), "it is not a shared object; link it with"));
}

TEST_CASE("a wrong entry is told by its numbers") {
  CHECK(
      reason(entry_with(0, 0, 4)) ==
      "its patchbay_plugin_v1 is not a plugin entry (wrong magic); end its source with PATCHBAY_PLUGIN(...)");
  CHECK(begins(reason(entry_with(4, 8, 4)), "its entry states an impossible size (8 bytes); build it again"));
  CHECK(
      begins(reason(entry_with(4, 0xffffffff, 4)), "its entry states an impossible size (4294967295 bytes)"));
  CHECK(reason(entry_with(8, 7, 2)) ==
        "it was built for ABI 7, this core has ABI 1; build it again with this core's SDK");
  CHECK(reason(entry_with(10, 9, 2)) == "");  // a later minor is no reason
}

TEST_CASE("an error in the manifest has its line and column") {
  CHECK(begins(reason(patched(R"("version": "1.0.0")", R"("version": "1.0.x")")),
               "its manifest is not valid: line 3, column "));
  CHECK(begins(reason(patched(R"("id": "c-plugin",)", R"("id": "c-plugin" )")),
               "its manifest is not valid: JSON, line 3, column 3: "));
  const std::string twice = reason(patched(R"("license")", R"("version")"));
  CHECK(begins(twice, "its manifest is not valid: "));
  CHECK(twice.find("; correct manifest.json and build it again") != std::string::npos);
}

TEST_CASE("a library or a symbol that is not there is named") {
  const Examination library = examined_file(patched("libc.so.6", "libz.so.9"));
  CHECK(reason(library) ==
        "it needs libz.so.9, which is not on this machine; install the package that has it, or link it "
        "statically");
  const Examination symbol =
      examined_file(patched(std::string("\0snprintf\0", 10), std::string("\0snprintx\0", 10)));
  CHECK(begins(reason(symbol), "it uses snprintx, which none of its libraries defines; link"));
}

TEST_CASE("what another build let through is a remark, and a shared libc++ is refused") {
  const Examination leaky = examine_plugin(TEST_LEAKY);
  CHECK(reason(leaky) == "");
  REQUIRE(leaky.findings.size() == 2);
  CHECK(std::string(leaky.findings[0].check) == "stack");
  CHECK(begins(leaky.findings[1].text, "beside patchbay_plugin_v1 it exports leaky_create"));
  CHECK(begins(
      reason(examine_plugin(TEST_LIBCXX)),
      "it is linked to a shared libc++, which cannot live beside this core's libstdc++; link it with"));
}

TEST_CASE("a file with any byte changed harms nothing") {
  std::string bytes = good();
  for (size_t i = 0; i < std::min<size_t>(bytes.size(), 1024); ++i) {
    for (const char value : {'\x00', '\x7f', '\xff'}) {
      const char before = std::exchange(bytes[i], value);
      static_cast<void>(examine_plugin_bytes(bytes));
      bytes[i] = before;
    }
  }
}
