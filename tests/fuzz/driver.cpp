// Runs a fuzz target without a fuzzer: over every file of the seed folders, then over a fixed number of
// mutations of them, the same in every run. With files as arguments it runs just those: that is how a crash
// is replayed.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Input = std::string;
constexpr size_t kLongest = 1 << 16;

void run(const Input& input) {
  // A copy of exactly this size lets AddressSanitizer see a read beyond the end.
  const std::vector<uint8_t> exact(input.begin(), input.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

Input read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void collect(const std::filesystem::path& path, std::vector<Input>& inputs) {
  if (!std::filesystem::is_directory(path)) {
    inputs.push_back(read(path));
    return;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());  // the order of a directory differs between machines
  for (const auto& file : files) inputs.push_back(read(file));
}

class Mutator {
 public:
  explicit Mutator(const std::vector<Input>& seeds) : seeds_(seeds) {}

  Input next() {
    Input input = pick();
    for (size_t rounds = 1 + below(4); rounds > 0; --rounds) mutate(input);
    if (input.size() > kLongest) input.resize(kLongest);
    return input;
  }

 private:
  size_t below(size_t n) { return n ? random_() % n : 0; }
  const Input& pick() { return seeds_[below(seeds_.size())]; }
  char byte() {
    constexpr char kTelling[] = "\0\xFF\x7F\x80\r\n\t \"\\{}[]<>:;,%+-0919eE";
    return below(2) ? kTelling[below(sizeof kTelling - 1)] : static_cast<char>(below(256));
  }

  void mutate(Input& input) {
    const size_t at = below(input.size() + 1);
    switch (below(6)) {
      case 0:
        if (at < input.size()) input[at] = byte();
        break;
      case 1:
        if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
        break;
      case 2:
        input.insert(at, 1 + below(8), byte());
        break;
      case 3:
        input.erase(at, below(16));
        break;
      case 4:
        input.insert(at, input.substr(below(input.size() + 1), below(64)));
        break;
      default: {
        const Input& other = pick();
        input = input.substr(0, at) + other.substr(below(other.size() + 1));
      }
    }
  }

  const std::vector<Input>& seeds_;
  std::mt19937_64 random_{20261120};
};

}  // namespace

// driver [-runs=N] FILE-OR-FOLDER...
int main(int argc, char** argv) {
  size_t runs = 0;
  std::vector<Input> inputs;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("-runs=", 0) == 0)
      runs = std::strtoull(argument.c_str() + 6, nullptr, 10);
    else
      collect(argument, inputs);
  }
  if (inputs.empty()) {
    std::fprintf(stderr, "no seeds\n");
    return 1;
  }
  run("");
  for (const Input& input : inputs) run(input);
  Mutator mutator(inputs);
  for (size_t i = 0; i < runs; ++i) run(mutator.next());
  std::printf("%zu seeds and %zu mutations survived\n", inputs.size(), runs);
  return 0;
}
