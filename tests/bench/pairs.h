// Runs two programs of the same work alternately, because only their ratio is meaningful on a shared machine.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace patchbay::bench {

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The processor time of this process so far, of all threads and including the kernel's part. Other processes
// affect it less than wall time.
inline double cpu_seconds_now() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& t) { return double(t.tv_sec) + double(t.tv_usec) * 1e-6; };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

// A name, and a run of about a second that returns a rate or a cost (the same on both sides).
template <class Run>
struct Side {
  std::string name;
  Run run;
};
template <class Run>
Side(std::string, Run) -> Side<Run>;

struct Spread {
  double median, low, high;  // low and high: the quartiles
};

inline Spread spread_of(std::vector<double> figures) {
  std::sort(figures.begin(), figures.end());
  size_t n = figures.size();
  double median = n % 2 ? figures[n / 2] : (figures[n / 2 - 1] + figures[n / 2]) / 2;
  return {median, figures[n / 4], figures[n - 1 - n / 4]};
}

// Runs the sides alternately, reversing their order each time, and drops the first pair (or group, with
// several references). Prints each pair, and finally for each reference the median of ours / theirs with its
// quartiles. The environment variable BENCH_PAIRS sets the number of pairs.
template <class Ours, class... Theirs>
void run_pairs(const std::string& title, const std::string& unit, Side<Ours> ours, Side<Theirs>... theirs) {
  const std::vector<Side<std::function<double()>>> sides{{ours.name, std::move(ours.run)},
                                                         {theirs.name, std::move(theirs.run)}...};
  const char* wanted = std::getenv("BENCH_PAIRS");
  const int pairs = std::max(2, wanted ? std::atoi(wanted) : 9);
  std::printf("%s (%s)\n%6s", title.c_str(), unit.c_str(), "pair");
  for (size_t i = 0; i < sides.size(); ++i)
    std::printf(i == 0 ? " %16s" : " %16s %8s", sides[i].name.c_str(), "ratio");
  std::printf("\n");
  std::vector<std::vector<double>> ratios(sides.size());
  for (int pair = 0; pair < pairs; ++pair) {
    std::vector<double> figures(sides.size());
    for (size_t turn = 0; turn < sides.size(); ++turn) {
      const size_t side = pair % 2 == 0 ? turn : sides.size() - 1 - turn;
      figures[side] = sides[side].run();
    }
    std::printf("%6s", pair == 0 ? "warm" : std::to_string(pair).c_str());
    for (size_t i = 0; i < sides.size(); ++i) {
      const double ratio = figures[0] / figures[i];
      if (pair > 0) ratios[i].push_back(ratio);
      std::printf(i == 0 ? " %16.1f" : " %16.1f %8.3f", figures[i], ratio);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  for (size_t i = 1; i < sides.size(); ++i) {
    const Spread spread = spread_of(ratios[i]);
    std::printf("%s / %s = %.3f (quartiles %.3f to %.3f, %zu pairs)\n", sides[0].name.c_str(),
                sides[i].name.c_str(), spread.median, spread.low, spread.high, ratios[i].size());
  }
}

// Runs more than two sides alternately and drops the first round. Prints for each its figure and its ratio to
// the first side within the same round: medians, with the quartiles in brackets.
inline void run_rounds(const std::string& title, const std::string& unit,
                       const std::vector<Side<std::function<double()>>>& sides) {
  const char* wanted = std::getenv("BENCH_PAIRS");
  const int rounds = std::max(2, wanted ? std::atoi(wanted) : 9);
  std::vector<std::vector<double>> figures(sides.size()), ratios(sides.size());
  for (int round = 0; round < rounds; ++round) {
    double first = 0;
    for (size_t i = 0; i < sides.size(); ++i) {
      const double figure = sides[i].run();
      if (i == 0) first = figure;
      if (round == 0) continue;
      figures[i].push_back(figure);
      ratios[i].push_back(figure / first);
    }
  }
  std::printf("%s (%s, %d rounds), ratio to: %s\n", title.c_str(), unit.c_str(), rounds - 1,
              sides[0].name.c_str());
  for (size_t i = 0; i < sides.size(); ++i) {
    const Spread figure = spread_of(figures[i]), ratio = spread_of(ratios[i]);
    std::printf("  %-46s %8.1f (%.1f to %.1f) %8.3f (%.3f to %.3f)\n", sides[i].name.c_str(), figure.median,
                figure.low, figure.high, ratio.median, ratio.low, ratio.high);
  }
}

}  // namespace patchbay::bench
