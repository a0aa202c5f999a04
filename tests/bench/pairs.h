// Runs two programs of the same work alternately, because only their ratio is meaningful on a shared machine.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
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

// Runs the sides alternately, swapping their order, and drops the first pair. Prints each pair, and finally
// the median of ours / theirs with its quartiles. The environment variable BENCH_PAIRS sets the number of
// pairs.
template <class Ours, class Theirs>
double run_pairs(const std::string& title, const std::string& unit, Side<Ours> ours, Side<Theirs> theirs) {
  const char* wanted = std::getenv("BENCH_PAIRS");
  int pairs = std::max(2, wanted ? std::atoi(wanted) : 9);
  std::printf("%s (%s)\n%6s %16s %16s %8s\n", title.c_str(), unit.c_str(), "pair", ours.name.c_str(),
              theirs.name.c_str(), "ratio");
  std::vector<double> ratios;
  for (int pair = 0; pair < pairs; ++pair) {
    double first = pair % 2 == 0 ? ours.run() : theirs.run();
    double second = pair % 2 == 0 ? theirs.run() : ours.run();
    double our_figure = pair % 2 == 0 ? first : second, their_figure = pair % 2 == 0 ? second : first;
    if (pair > 0) ratios.push_back(our_figure / their_figure);
    std::printf("%6s %16.1f %16.1f %8.3f\n", pair == 0 ? "warm" : std::to_string(pair).c_str(), our_figure,
                their_figure, our_figure / their_figure);
    std::fflush(stdout);
  }
  Spread spread = spread_of(ratios);
  std::printf("%s / %s = %.3f (quartiles %.3f to %.3f, %zu pairs)\n", ours.name.c_str(), theirs.name.c_str(),
              spread.median, spread.low, spread.high, ratios.size());
  return spread.median;
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
