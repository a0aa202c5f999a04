#include "http/certificate_watch.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

using namespace patchbay::rest_api;
namespace fs = std::filesystem;

TEST_CASE("renewed and removed certificate files are noticed once") {
  const fs::path folder =
      fs::temp_directory_path() / ("patchbay-certificate-watch-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const TlsFiles files{(folder / "cert.pem").string(), (folder / "key.pem").string()};
  std::ofstream(files.certificate) << "certificate";
  std::ofstream(files.key) << "key";
  CertificateWatch watch({files});
  CHECK_FALSE(watch.changed());
  for (const std::string& file : {files.certificate, files.key}) {
    fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(1));
    CHECK(watch.changed());
    CHECK_FALSE(watch.changed());
  }
  fs::remove(files.key);
  CHECK(watch.changed());
  CHECK_FALSE(watch.changed());
  fs::remove_all(folder);
}

TEST_CASE("without certificates nothing changes") {
  CertificateWatch watch({});
  CHECK_FALSE(watch.changed());
}
