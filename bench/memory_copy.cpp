// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory_copy.hpp"

#include "mappable_buffer.hpp"
#include "two_threads.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace bench {

namespace {

void mustBeEqual(const char* a, const char* b, std::size_t size, const char* who) {
  if (std::memcmp(a, b, size) != 0) throw std::runtime_error(std::string(who) + " did not copy all bytes");
}

} // namespace

std::vector<double> compareCopies(Session& session, std::size_t size, int rounds) {
  constexpr int kRepeats = 5;
  MappableBuffer source(session, size), target(session, size);
  CopyFunction best = nullptr;
  std::vector<double> samples;
  // One round more: the first touches pages, starts threads, finds out which copy is the best, and is not counted.
  for (int round = 0; round <= rounds; ++round) {
    char *from = source.map(), *to = target.map();
    writePattern(from, size, static_cast<std::uint64_t>(round));
    std::memset(to, 0xff, size);
    double theirs = std::numeric_limits<double>::max();
    {
      TwoThreads threads;
      if (!best) best = fastestCopy(threads, to, from, size);
      for (int i = 0; i < kRepeats; ++i)
        theirs = std::min(theirs, threads.milliseconds(best, to, from, size));
    }
    mustBeEqual(from, to, size, "memcpy");
    std::memset(to, 0, size);
    source.unmap(from);
    target.unmap(to);

    double mine = std::numeric_limits<double>::max();
    for (int i = 0; i < kRepeats; ++i) {
      auto begin = Clock::now();
      check(clEnqueueCopyBuffer(session.queue, source.get(), target.get(), 0, 0, size, 0, nullptr, nullptr),
            "clEnqueueCopyBuffer");
      check(clFinish(session.queue), "clFinish");
      mine = std::min(mine, milliseconds(Clock::now() - begin));
    }
    from = source.map(), to = target.map();
    mustBeEqual(from, to, size, "clEnqueueCopyBuffer");
    source.unmap(from);
    target.unmap(to);
    if (round) samples.push_back(100 * theirs / mine);
  }
  return samples;
}

} // namespace bench
