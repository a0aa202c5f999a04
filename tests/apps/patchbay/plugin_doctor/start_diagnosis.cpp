#include "plugin_doctor/start_diagnosis.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "isolation/isolation_support.h"
#include "support/child_process.h"

using namespace patchbay;
using namespace patchbay::app;

namespace {

// A plugin folder of links to built files.
struct Folder : test::TempFolder {
  void link(const std::string& file, const std::string& name) const {
    std::filesystem::create_symlink(file, path() + "/" + name);
  }
  std::string says(const std::vector<std::string>& configured) const {
    std::string all;
    for (const Diagnosis& each : diagnose(path(), configured)) all += sentence(each);
    return all;
  }
};

// What `patchbay plugin ...` prints, and its exit code as the last line.
std::string program(std::vector<std::string> arguments) {
  const test::TempFolder folder;
  arguments.insert(arguments.begin(), {std::getenv("PATCHBAY_PROGRAM"), "plugin"});
  auto child = test::Child::spawn(arguments, folder.path(), folder.file("says"));
  REQUIRE(child.ok());
  const auto code = child->wait(std::chrono::seconds(60));
  return test::read_text(folder.file("says")) + std::to_string(code.value_or(-1));
}

}  // namespace

TEST_CASE("the doctor says of each plugin why it does not start and what to do") {
  Folder folder;
  folder.link(TEST_C_PLUGIN, "c-plugin.so");
  folder.link(TEST_LEAKY, "leaky.so");
  folder.link(std::string(TEST_PLUGINS) + "/rest-api.so", "rest-api.so");
  std::ofstream(folder.file("text.so")) << "hello";
  CHECK(folder.says({"c-plugin", "text", "nowhere"}) ==
        "c-plugin: starts\n"
        "text: does not start: it is not a shared object; give the .so that patchbay_add_plugin built\n"
        "nowhere: does not start: there is no nowhere.so in " +
            folder.path() +
            "; install it or take `nowhere:` out of `plugins:`\n"
            "leaky: not configured; add `leaky:` to `plugins:`\n"
            "leaky: remark: it wants a stack that can be executed, which hardened systems refuse; add "
            "`.section "
            ".note.GNU-stack` to its assembler sources, or link with -Wl,-z,noexecstack\n"
            "leaky: remark: it also exports leaky_create, which another plugin's code "
            "could be "
            "bound to; build it with patchbay_add_plugin, which hides all else\n"
            "rest-api: not configured; add `rest-api:` to `plugins:`\n");
  CHECK(folder.says({"leaky"}).find(
            "leaky: does not start: it needs patchbay.nothing/1, which no plugin in the plugin "
            "folder provides\n") != std::string::npos);
}

TEST_CASE("a file whose name is not its id is refused, with another fix when the file of that id exists") {
  Folder folder;
  folder.link(TEST_C_PLUGIN, "tally.so");
  CHECK(folder.says({}) ==
        "tally: does not start: its manifest says its id is 'c-plugin'; rename the file to c-plugin.so\n");
  folder.link(TEST_C_PLUGIN, "c-plugin.so");
  CHECK(folder.says({"c-plugin"}) ==
        "c-plugin: starts\n"
        "tally: does not start: its id is 'c-plugin', as that of c-plugin.so in the same folder; remove one "
        "of the "
        "two\n");
}

TEST_CASE("a single file is diagnosed as if it were in the folder") {
  Folder folder;
  CHECK(sentence(diagnose_file(TEST_C_PLUGIN, folder.path(), {})) == "c-plugin: starts\n");
  const std::string elsewhere = sentence(diagnose_file(TEST_C_PLUGIN, folder.path(), {{"c-plugin"}}));
  CHECK(elsewhere == "c-plugin: starts\nc-plugin: remark: it is not in the plugin folder; copy it to " +
                         folder.path() + "\n");
  CHECK(diagnose_file(TEST_C_PLUGIN, folder.path(), {{"x"}}).state == Diagnosis::State::not_configured);
}

TEST_CASE("inspect and doctor print their results and set the exit code") {
  const std::string inspected = program({"inspect", TEST_C_PLUGIN});
  CHECK(inspected.find("c-plugin 1.0.0: Counts events") == 0);
  CHECK(inspected.find("ABI        1.0, entry of ") != std::string::npos);
  CHECK(inspected.find("topic                      string   Which events it counts [call.*]\n0") !=
        std::string::npos);
  CHECK(program({"inspect", "--json", TEST_C_PLUGIN}).find(R"({"loads":true,"manifest":{"id":"c-plugin")") ==
        0);
  CHECK(program({"inspect", TEST_LIBCXX}).find("would not load: it is linked to a shared libc++") !=
        std::string::npos);
  CHECK(program({"doctor", TEST_C_PLUGIN}) == "c-plugin: starts\n0");
  const std::string broken = program({"doctor", "--json", "/bin/true"});
  CHECK(broken.find(R"("state":"refused","why":"it exports no symbol patchbay_plugin_v1; end its source)") !=
        std::string::npos);
  CHECK(broken.back() == '4');

  Folder folder;
  folder.link(TEST_LEAKY, "leaky.so");
  folder.link(TEST_C_PLUGIN, "c-plugin.so");
  std::ofstream(folder.file("patchbay.yaml"))
      << "plugins: {c-plugin: {wrong: 1}, leaky: {}}\ntenants: {localhost: {}}\n";
  const std::string judged =
      program({"doctor", "-c", folder.file("patchbay.yaml"), "--plugin-dir", folder.path()});
  CHECK(judged.find("patchbay.yaml:1:22: plugins.c-plugin.wrong is not a known field") != std::string::npos);
  CHECK(judged.find("leaky: does not start: it needs patchbay.nothing/1") != std::string::npos);
}

TEST_CASE("the doctor says which plugins can run with isolation") {
  Folder folder;
  folder.link(TEST_C_PLUGIN, "c-plugin.so");
  folder.link(std::string(TEST_PLUGINS) + "/media.so", "media.so");
  std::ofstream(folder.file("patchbay.yaml"))
      << "plugins: {c-plugin: {isolation: process}, media: {isolation: process}}\ntenants: {localhost: {}}\n";
  const std::string judged =
      program({"doctor", "-c", folder.file("patchbay.yaml"), "--plugin-dir", folder.path()});
  CHECK(judged.find("c-plugin: starts\n") != std::string::npos);
  CHECK(judged.find(
            "media: does not start: it joins the audio ports of other plugins, which a separate process "
            "cannot open; remove `isolation`\n") != std::string::npos);
  const bool contained = judged.find("c-plugin: remark: this kernel has no Landlock") == std::string::npos;
  CHECK(contained == (patchbay::core::isolation::landlock_version() > 0));
}
