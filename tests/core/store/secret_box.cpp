#include "store/secret_box.h"

#include <sys/stat.h>

#include <fstream>

#include "core/store/fixture.h"

using namespace store_test;

namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_private(const std::filesystem::path& path, const std::string& data) {
  std::ofstream(path, std::ios::binary) << data;
  ::chmod(path.c_str(), 0600);
}

}  // namespace

TEST_CASE("a secret is unsealed with the same key and context") {
  TempDir dir;
  auto secret_box = SecretBox::open(dir.path / "key");
  REQUIRE(secret_box.ok());
  CHECK(read_file(dir.path / "key").size() == 32);
  for (const std::string& plain : {std::string(), std::string("secret"), std::string(100'000, '\0')}) {
    auto sealed = secret_box->seal(plain, "row/1");
    REQUIRE(sealed.ok());
    CHECK(sealed->size() == plain.size() + 33);
    CHECK(*secret_box->unseal(*sealed, "row/1") == plain);
    CHECK(*SecretBox::open(dir.path / "key")->unseal(*sealed, "row/1") == plain);
  }
  CHECK(*secret_box->seal("x", "") != *secret_box->seal("x", ""));
}

TEST_CASE("altered bytes or another context are refused") {
  TempDir dir;
  auto secret_box = SecretBox::open(dir.path / "key");
  std::string sealed = *secret_box->seal("secret", "row/1");
  CHECK(secret_box->unseal(sealed, "row/2").error().code == Code::denied);
  for (size_t i = 0; i < sealed.size(); ++i) {
    std::string altered = sealed;
    altered[i] = static_cast<char>(altered[i] ^ 1);
    CHECK_FALSE(secret_box->unseal(altered, "row/1").ok());
  }
  for (size_t size = 0; size < sealed.size(); ++size)
    CHECK_FALSE(secret_box->unseal(sealed.substr(0, size), "row/1").ok());
}

TEST_CASE("an unknown key does not unseal, an older one in the file does") {
  TempDir dir;
  std::string sealed = *SecretBox::open(dir.path / "old")->seal("secret", "c");
  auto other = SecretBox::open(dir.path / "new");
  CHECK(other->unseal(sealed, "c").error().code == Code::not_found);
  write_private(dir.path / "both", read_file(dir.path / "new") + read_file(dir.path / "old"));
  auto both = SecretBox::open(dir.path / "both");
  REQUIRE(both.ok());
  CHECK(*both->unseal(sealed, "c") == "secret");
  CHECK_FALSE(both->is_current(sealed));
  std::string resealed = *both->seal("secret", "c");
  CHECK(both->is_current(resealed));
  CHECK(*other->unseal(resealed, "c") == "secret");
}

TEST_CASE("a key file that other users may read, or of a wrong size, is refused") {
  TempDir dir;
  REQUIRE(SecretBox::open(dir.path / "key").ok());
  ::chmod((dir.path / "key").c_str(), 0640);
  CHECK(SecretBox::open(dir.path / "key").error().code == Code::denied);
  write_private(dir.path / "short", "0123456789");
  CHECK(SecretBox::open(dir.path / "short").error().code == Code::invalid);
  write_private(dir.path / "empty", "");
  CHECK(SecretBox::open(dir.path / "empty").error().code == Code::invalid);
  CHECK(SecretBox::open(dir.path / "none" / "key").error().code == Code::unavailable);
}
