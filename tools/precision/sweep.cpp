// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "precision/sweep.hpp"

#include "precision/error.hpp"
#include "precision/filter.hpp"
#include "precision/quad.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <vector>

namespace precision {

namespace {

constexpr std::size_t kChunk = std::size_t(1) << 20;
constexpr std::size_t kFirst = std::size_t(1) << 16; ///< so that the second chunk knows what is bad
constexpr std::size_t kPart = std::size_t(1) << 15;  ///< of a chunk, for a thread
constexpr auto kBetweenSaves = std::chrono::seconds(5);

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

/// For a chunk and, as vectors of three components do not divide it, what the last vector has beyond it.
template <class E> std::unique_ptr<E[], Free> makeArray() {
  constexpr std::size_t kPage = 4096;
  void* memory = std::aligned_alloc(kPage, kChunk * sizeof(E) + kPage);
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, kChunk * sizeof(E) + kPage); // what a function does not take is 0
  return std::unique_ptr<E[], Free>(static_cast<E*>(memory));
}

template <class T> struct Arrays {
  std::unique_ptr<T[], Free> x = makeArray<T>(), y = makeArray<T>(), z = makeArray<T>();
  std::unique_ptr<int[], Free> k = makeArray<int>();
};

/// Calls part(i) for each i below `count`, on several threads: a thread that gets no processor holds up none.
template <class F> void divide(std::size_t count, unsigned threads, F&& part) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> workers;
  workers.reserve(threads);
  for (unsigned thread = 0; thread < threads; ++thread)
    workers.emplace_back([&] {
      for (std::size_t i = next++; i < count; i = next++)
        part(i);
    });
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

/// Whether a double is no worse than the worst so far by a reference that takes less time.
bool isSurelyGood(const Function& function, const Values<double>& v, double got, double worst) {
  if (function.nearDouble == nullptr || worst < 0) return false;
  const long double near = function.nearDouble(v.x, v.y, v.z, v.k);
  if (function.limits[1] == 0) return near == got && (near != 0 || std::signbit(near) == std::signbit(got));
  // Both beyond all doubles, or both no numbers: powl knows that as well as the reference.
  if (!std::isfinite(near) || near == 0) return errorInUlp(got, near, false) == 0;
  // Just above a power of two the reference may be below, where an ulp is half as large.
  int e = 0;
  if (std::fabs(std::frexp(near, &e)) < 0.5L * (1 + 0x1p-40L)) return false;
  constexpr double kMargin = 16 * 0x1p-11;
  return errorInUlp(got, near, false) + kMargin <= std::min(worst, 1.0) * function.limits[1];
}

template <class T> void check(const Function& function, bool relaxed, const Values<T>& values, T got, Result& result) {
  const auto reference = referenceOf(function, values);
  // Rounded correctly, which is no news once there was worse.
  if (!relaxed && got != 0 && got == static_cast<T>(reference) && result.ulp >= 0.5) return;
  Error error = errorOf(function, relaxed, values, got, reference);
  double share = shareOf(error, function.limits[sizeof(T) == 8]);
  if constexpr (sizeof(T) == 8)
    if (share > result.worst && error.ulp != kWrong)
      if (const auto precise = errorInQuad(function, values, got)) {
        error.ulp = *precise;
        share = shareOf(error, function.limits[1]);
      }
  if (error.ulp > error.allowed) ++result.wrong;
  if (!(share > result.worst)) return;
  result.worst = share;
  result.ulp = share == 0 ? 0 : error.ulp;
  result.values = {values.x, values.y, values.z, values.k};
  result.got = got;
  result.wanted = static_cast<double>(reference);
}

/// A function in one set.
template <class T> struct Member {
  Member(const Device& device, const Task& task, const Effort& effort)
      : task(task), filter(*task.function, task.relaxed),
        kernel(device, *task.function, sizeof(T) == 8 ? "double" : "float", effort.components,
               task.relaxed ? "-cl-fast-relaxed-math" : ""),
        isFiltered(sizeof(T) == 4 && effort.isFiltered && filter.isThere()) {}

  Task task;
  Filter filter;
  Kernel kernel;
  bool isFiltered;
  bool isIdle = false; ///< already knows the results of this chunk
  std::unique_ptr<T[], Free> results = makeArray<T>();
  std::vector<Result> parts; ///< of a chunk
};

/// Functions that are alike, on one chunk of arguments after the other.
template <class T> class Sweep {
 public:
  Sweep(const Device& device, std::span<const Task> tasks, const Effort& effort)
      : threads_(effort.threads), isQuick_(effort.isFiltered),
        list_(*tasks[0].function, effort.samples, effort.stride) {
    for (const Task& task : tasks) {
      members_.push_back(std::make_unique<Member<T>>(device, task, effort));
      task.result->size = list_.size();
    }
  }
  bool isDone() const {
    return std::all_of(members_.begin(), members_.end(), [](const auto& m) { return m->task.result->isDone(); });
  }
  void nextChunk();

 private:
  std::size_t chooseChunk();
  void fill(std::size_t count);
  void check(std::size_t count);
  void checkPart(std::size_t part, std::size_t end);
  void checkBlock(std::size_t part, std::size_t first, std::size_t end);
  void checkAll(const Member<T>& member, std::size_t first, std::size_t end, Result& result) const {
    for (std::size_t i = first; i < end; ++i) {
      const Values<T> values{a_.x[i], a_.y[i], a_.z[i], a_.k[i]};
      if constexpr (sizeof(T) == 8)
        if (isQuick_ && isSurelyGood(*member.task.function, values, member.results[i], result.worst)) continue;
      precision::check<T>(*member.task.function, member.task.relaxed, values, member.results[i], result);
    }
  }
  Block blockAt(const Member<T>& member, std::size_t first) const;

  unsigned threads_;
  bool isQuick_;
  ArgumentList<T> list_;
  std::vector<std::unique_ptr<Member<T>>> members_;
  std::uint64_t next_ = 0;
  Arrays<T> a_;
};

/// Those that know least go on, up to what others know already.
template <class T> std::size_t Sweep<T>::chooseChunk() {
  next_ = list_.size();
  for (const auto& member : members_)
    next_ = std::min(next_, member->task.result->next);
  std::uint64_t end = std::min(next_ + (next_ == 0 ? kFirst : kChunk), list_.size());
  for (const auto& member : members_) {
    member->isIdle = member->task.result->next != next_;
    if (member->isIdle) end = std::min(end, member->task.result->next);
  }
  return static_cast<std::size_t>(end - next_);
}

template <class T> void Sweep<T>::fill(std::size_t count) {
  divide((count + kPart - 1) / kPart, threads_, [&](std::size_t part) {
    const std::size_t first = part * kPart;
    list_.fill(next_ + first, std::min(kPart, count - first), &a_.x[first], &a_.y[first], &a_.z[first], &a_.k[first]);
  });
}

template <class T> Block Sweep<T>::blockAt(const Member<T>& member, std::size_t first) const {
  Block block;
  if constexpr (sizeof(T) == 4) {
    const Arguments arguments = member.task.function->arguments;
    block.x = &a_.x[first];
    if (arguments == Arguments::XY || arguments == Arguments::XYZ) block.y = &a_.y[first];
    if (arguments == Arguments::XYZ) block.z = &a_.z[first];
    if (arguments == Arguments::XK) block.k = &a_.k[first];
    block.results = &member.results[first];
  }
  return block;
}

template <class T> void Sweep<T>::checkBlock(std::size_t part, std::size_t first, std::size_t end) {
  PeerResults peers;
  bool isComputed = false;
  std::array<std::uint8_t, kBlock> suspicious;
  for (const auto& member : members_) {
    if (member->isIdle) continue;
    Result& result = member->parts[part];
    // The first of all are special, and nothing is known that they could be compared with.
    if (!member->isFiltered || result.worst < 0) {
      checkAll(*member, first, end, result);
      continue;
    }
    const Block block = blockAt(*member, first);
    if (!isComputed) member->filter.compute(block, peers);
    isComputed = true;
    if (!member->filter.mark(block, peers, result.worst, suspicious)) continue;
    for (std::size_t i = 0; i < kBlock; i += 8) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, &suspicious[i], sizeof eight);
      for (; eight != 0; eight &= eight - 1) {
        const std::size_t one = first + i + static_cast<std::size_t>(std::countr_zero(eight)) / 8;
        if (one < end) checkAll(*member, one, one + 1, result);
      }
    }
  }
}

template <class T> void Sweep<T>::checkPart(std::size_t part, std::size_t end) {
  for (const auto& member : members_)
    if (!member->isIdle) {
      member->parts[part].worst = member->task.result->worst;
      member->parts[part].ulp = member->task.result->ulp;
    }
  for (std::size_t first = part * kPart; first < end; first += kBlock)
    checkBlock(part, first, std::min(first + kBlock, end));
}

/// Each part goes on from the worst so far; joined in order, the first of equals stays, however threads take turns.
template <class T> void Sweep<T>::check(std::size_t count) {
  const std::size_t parts = (count + kPart - 1) / kPart;
  for (const auto& member : members_)
    member->parts.assign(parts, Result());
  divide(parts, threads_, [&](std::size_t part) { checkPart(part, std::min((part + 1) * kPart, count)); });
  for (const auto& member : members_) {
    if (member->isIdle) continue;
    for (const Result& part : member->parts)
      keepWorse(*member->task.result, part);
    member->task.result->next += count;
  }
}

template <class T> void Sweep<T>::nextChunk() {
  const std::size_t count = chooseChunk();
  fill(count);
  for (const auto& member : members_) {
    if (member->isIdle) continue;
    const std::array<void*, 5> arrays = {a_.x.get(), a_.y.get(), a_.z.get(), a_.k.get(), member->results.get()};
    const std::array<std::size_t, 5> bytes = {sizeof(T), sizeof(T), sizeof(T), sizeof(int), sizeof(T)};
    member->kernel.run(count, arrays, bytes);
  }
  check(count);
}

} // namespace

bool areAlike(const Function& one, const Function& other) {
  return one.arguments == other.arguments && one.places == other.places &&
         peerNameOf(one.name) == peerNameOf(other.name);
}

template <class T>
void sweep(const Device& device, std::span<const Task> tasks, const Effort& effort, const std::function<void()>& save) {
  Sweep<T> sweep(device, tasks, effort);
  auto saved = std::chrono::steady_clock::now();
  while (!sweep.isDone()) {
    sweep.nextChunk();
    if (std::chrono::steady_clock::now() - saved < kBetweenSaves && !sweep.isDone()) continue;
    save();
    saved = std::chrono::steady_clock::now();
  }
}

template void sweep<float>(const Device&, std::span<const Task>, const Effort&, const std::function<void()>&);
template void sweep<double>(const Device&, std::span<const Task>, const Effort&, const std::function<void()>&);

} // namespace precision
