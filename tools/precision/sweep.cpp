// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "precision/sweep.hpp"

#include "precision/error.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <new>
#include <thread>
#include <vector>

namespace precision {

namespace {

constexpr std::size_t kChunk = std::size_t(1) << 21;
constexpr auto kBetweenSaves = std::chrono::seconds(5);

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

/// For a chunk and, as vectors of three components do not divide it, what the last vector has beyond it.
template <class E> std::unique_ptr<E[], Free> makeArray() {
  constexpr std::size_t kPage = 4096;
  void* memory = std::aligned_alloc(kPage, kChunk * sizeof(E) + kPage);
  if (memory == nullptr) throw std::bad_alloc();
  return std::unique_ptr<E[], Free>(static_cast<E*>(memory));
}

template <class T> struct Arrays {
  std::unique_ptr<T[], Free> x = makeArray<T>(), y = makeArray<T>(), z = makeArray<T>(), results = makeArray<T>();
  std::unique_ptr<int[], Free> k = makeArray<int>();
};

/// Calls part(first, end) on several threads.
template <class F> void divide(std::size_t count, unsigned threads, F&& part) {
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < threads; ++i)
    workers.emplace_back([&, i] { part(i, count * i / threads, count * (i + 1) / threads); });
}

void keepWorse(Result& result, const Result& other) {
  result.wrong += other.wrong;
  if (!(other.worst > result.worst)) return;
  result.worst = other.worst;
  result.ulp = other.ulp;
  result.values = other.values;
  result.got = other.got;
  result.wanted = other.wanted;
}

template <class T> auto referenceOf(const Function& function, const Values<T>& v) {
  if constexpr (sizeof(T) == 4)
    return function.forFloat(v.x, v.y, v.z, v.k);
  else
    return function.forDouble(v.x, v.y, v.z, v.k);
}

template <class T> void check(const Function& function, bool relaxed, const Values<T>& values, T got, Result& result) {
  const auto reference = referenceOf(function, values);
  // Rounded correctly, which is no news once there was worse.
  if (!relaxed && got != 0 && got == static_cast<T>(reference) && result.ulp >= 0.5) return;
  const Error error = errorOf(function, relaxed, values, got, reference);
  if (error.ulp > error.allowed) ++result.wrong;
  const bool isShare = error.allowed > 0 && error.allowed < kWrong;
  const double share = isShare ? error.ulp / error.allowed : error.ulp;
  if (!(share > result.worst)) return;
  result.worst = share;
  result.ulp = error.ulp;
  result.values = {values.x, values.y, values.z, values.k};
  result.got = got;
  result.wanted = static_cast<double>(reference);
}

} // namespace

template <class T>
void sweep(const Device& device, const Function& function, bool relaxed, const Effort& effort, Result& result,
           const std::function<void()>& save) {
  const ArgumentList<T> list(function, effort.samples, effort.stride);
  const Kernel kernel(device, function, sizeof(T) == 8 ? "double" : "float", effort.components,
                      relaxed ? "-cl-fast-relaxed-math" : "");
  const Arrays<T> a;
  result.size = list.size();
  auto saved = std::chrono::steady_clock::now();
  while (result.next < result.size) {
    const std::size_t count = std::min<std::uint64_t>(kChunk, result.size - result.next);
    divide(count, effort.threads, [&](unsigned, std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) {
        const Values<T> v = list[result.next + i];
        a.x[i] = v.x;
        a.y[i] = v.y;
        a.z[i] = v.z;
        a.k[i] = v.k;
      }
    });
    const std::array<void*, 5> arrays = {a.x.get(), a.y.get(), a.z.get(), a.k.get(), a.results.get()};
    const std::array<std::size_t, 5> bytes = {sizeof(T), sizeof(T), sizeof(T), sizeof(int), sizeof(T)};
    kernel.run(count, arrays, bytes);
    std::vector<Result> parts(effort.threads);
    divide(count, effort.threads, [&](unsigned part, std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i)
        check<T>(function, relaxed, {a.x[i], a.y[i], a.z[i], a.k[i]}, a.results[i], parts[part]);
    });
    for (const Result& part : parts)
      keepWorse(result, part);
    result.next += count;
    if (std::chrono::steady_clock::now() - saved < kBetweenSaves && !result.isDone()) continue;
    save();
    saved = std::chrono::steady_clock::now();
  }
}

template void sweep<float>(const Device&, const Function&, bool, const Effort&, Result&, const std::function<void()>&);
template void sweep<double>(const Device&, const Function&, bool, const Effort&, Result&, const std::function<void()>&);

} // namespace precision
