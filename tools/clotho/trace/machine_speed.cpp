// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/machine_speed.hpp"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <sched.h>
#include <thread>
#include <vector>

namespace clotho::tools {

namespace {

using Clock = std::chrono::steady_clock;

/// The fastest of some rounds that all threads run at once, in s: `work(thread)`.
double fastestRound(unsigned threads, int rounds, const std::function<void(unsigned)>& work) {
  double best = 1e30;
  Clock::time_point begin;
  // The last thread that comes to the barrier takes the time.
  int passed = 0;
  std::barrier together(threads, [&]() noexcept {
    const Clock::time_point now = Clock::now();
    if (passed++ > 0) best = std::min(best, std::chrono::duration<double>(now - begin).count());
    begin = now;
  });
  std::vector<std::thread> running;
  running.reserve(threads);
  for (unsigned i = 0; i < threads; ++i)
    running.emplace_back([&, i] {
      for (int round = 0; round <= rounds; ++round) {
        together.arrive_and_wait();
        if (round < rounds) work(i);
      }
    });
  for (std::thread& thread : running)
    thread.join();
  return best;
}

constexpr int kSums = 12; // as many as hide the latency of a multiply-add on two units
constexpr int kSteps = 200'000;

/// Multiply-adds of vectors of so many bytes; gives the floating-point operations.
template <int Bytes> [[gnu::always_inline]] inline double multiplyAdd(float seed, float& result) {
  typedef float Vector __attribute__((vector_size(Bytes)));
  Vector sums[kSums], factor, term;
  for (std::size_t lane = 0; lane < Bytes / sizeof(float); ++lane) {
    factor[lane] = seed;
    term[lane] = 1 - seed;
    for (int i = 0; i < kSums; ++i)
      sums[i][lane] = static_cast<float>(i);
  }
  for (int step = 0; step < kSteps; ++step)
    for (Vector& sum : sums)
      sum = sum * factor + term;
  for (const Vector& sum : sums)
    result += sum[0];
  constexpr std::size_t kLanes = Bytes / sizeof(float);
  return 2.0 * kSteps * kSums * kLanes;
}

#if defined(__x86_64__)
[[gnu::target("avx512f")]] double withAvx512(float seed, float& result) { return multiplyAdd<64>(seed, result); }
[[gnu::target("avx2,fma")]] double withAvx2(float seed, float& result) { return multiplyAdd<32>(seed, result); }
#endif
double withAny(float seed, float& result) { return multiplyAdd<16>(seed, result); }

double (*widestMultiplyAdd())(float, float&) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return withAvx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return withAvx2;
#endif
  return withAny;
}

double measureGflops(unsigned threads) {
  const auto work = widestMultiplyAdd();
  std::vector<float> results(threads * std::size_t{16});
  double operations = 0;
  const double seconds = fastestRound(threads, 12, [&](unsigned thread) {
    const double done = work(0.999F, results[thread * std::size_t{16}]);
    if (thread == 0) operations = done;
  });
  return operations * threads / seconds * 1e-9;
}

/// a[i] = b[i] + s * c[i], on arrays of 64 MiB together for each thread, but no more than 1 GiB for all.
double measureGigabytes(unsigned threads) {
  const std::size_t floats = std::min(std::size_t{64} << 20, (std::size_t{1} << 30) / threads) / 3 / sizeof(float);
  std::vector<std::unique_ptr<float[]>> arrays(threads);
  const double seconds = fastestRound(threads, 6, [&](unsigned thread) {
    std::unique_ptr<float[]>& memory = arrays[thread];
    if (!memory) memory = std::make_unique<float[]>(3 * floats); // in the first round: by the thread that uses it
    float* a = memory.get();
    const float *b = a + floats, *c = b + floats;
    for (std::size_t i = 0; i < floats; ++i)
      a[i] = b[i] + 3 * c[i];
  });
  return 3.0 * static_cast<double>(floats * sizeof(float)) * threads / seconds * 1e-9;
}

} // namespace

MachineSpeed measureMachine() {
  cpu_set_t allowed;
  const int count = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
  const auto threads = static_cast<unsigned>(std::max(count, 1));
  return {threads, measureGflops(threads), measureGigabytes(threads)};
}

} // namespace clotho::tools
