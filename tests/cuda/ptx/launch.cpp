// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which a grid's threads run: a thread until it waits for others or has had its turn, then the next one of
// the block; a block until it ends or has had its turn. A launch has more blocks at once only if those that have begun
// do not end, since they may wait for the others.
#include "thread.hpp"

#include <algorithm>
#include <deque>
#include <memory>

namespace ptx {

namespace {

constexpr unsigned kTurn = 2000;              ///< instructions of a thread
constexpr std::uint64_t kBlockTurn = 200'000; ///< instructions of a block at least
constexpr std::size_t kMostBlocks = 512;      ///< at once
constexpr unsigned kWarp = 32;

std::unique_ptr<Block> makeBlock(const Launch& launch, std::uint64_t number) {
  auto block = std::make_unique<Block>();
  block->launch = &launch;
  block->id = {static_cast<unsigned>(number % launch.grid.x),
               static_cast<unsigned>(number / launch.grid.x % launch.grid.y),
               static_cast<unsigned>(number / launch.grid.x / launch.grid.y)};
  block->sharedSize = launch.module->staticShared + launch.sharedBytes;
  block->shared.assign(block->sharedSize / 8 + 1, 0xdbdb'dbdb'dbdb'dbdb);
  block->threads.resize(launch.block.product());
  for (unsigned i = 0; i < block->threads.size(); ++i) {
    Thread& thread = block->threads[i];
    thread.block = block.get();
    thread.id = {i % launch.block.x, i / launch.block.x % launch.block.y, i / launch.block.x / launch.block.y};
    thread.lane = i % kWarp;
    thread.warp = i / kWarp;
    thread.enter(*launch.kernel, nullptr);
  }
  return block;
}

/// The threads of a warp that have not ended.
template <class Visit> void eachLane(Block& block, unsigned warp, Visit visit) {
  const std::size_t end = std::min<std::size_t>(block.threads.size(), std::size_t{warp + 1} * kWarp);
  for (std::size_t i = std::size_t{warp} * kWarp; i < end; ++i)
    if (block.threads[i].state != State::Exited) visit(block.threads[i]);
}

void resume(const std::vector<Thread*>& threads) {
  for (Thread* each : threads)
    each->state = State::Running;
}

/// Completes operations of the warp for which all lanes have come. True if there was one.
bool completeWarp(Block& block, unsigned warp) {
  bool hasCompleted = false;
  std::vector<Thread*> lanes;
  eachLane(block, warp, [&](Thread& first) {
    if (first.state != State::AtWarp) return;
    lanes.clear();
    bool isComplete = true;
    eachLane(block, warp, [&](Thread& other) {
      if ((first.mask >> other.lane & 1) == 0) return;
      if (other.state == State::AtWarp && other.mask == first.mask && other.complete == first.complete)
        lanes.push_back(&other);
      else
        isComplete = false;
    });
    if (!isComplete) return;
    first.complete(lanes);
    resume(lanes);
    hasCompleted = true;
  });
  return hasCompleted;
}

/// Lets the lanes at activemask go on, those at one place together. True if there were any.
bool completeActive(Block& block, unsigned warp) {
  bool hasCompleted = false, canRun = false;
  eachLane(block, warp, [&](const Thread& each) { canRun = canRun || each.state == State::Running; });
  if (canRun) return false;
  eachLane(block, warp, [&](Thread& first) {
    if (first.state != State::AtActive) return;
    std::uint32_t mask = 0;
    std::vector<Thread*> lanes;
    eachLane(block, warp, [&](Thread& other) {
      if (other.state != State::AtActive || other.waitsAt != first.waitsAt) return;
      mask |= 1U << other.lane;
      lanes.push_back(&other);
    });
    for (Thread* each : lanes)
      each->set<std::uint32_t>(each->waitsAt->to, mask);
    resume(lanes);
    hasCompleted = true;
  });
  return hasCompleted;
}

/// Fails the launch if threads of a warp are at several instructions, where all have to be at one.
void checkAligned(const std::vector<Thread*>& threads) {
  for (std::size_t i = 1; i < threads.size(); ++i) {
    const Thread &before = *threads[i - 1], &each = *threads[i];
    if (before.warp == each.warp && before.waitsAt != each.waitsAt && each.waitsAt->isAligned)
      threads[i]->fail(Error::IllegalInstruction,
                       "a barrier in divergent flow: another thread of the warp is at line " +
                           std::to_string(before.waitsAt->line));
  }
}

/// Completes barriers that all have reached. True if there was one.
bool completeBarriers(Block& block) {
  std::array<std::vector<Thread*>, 16> waiting;
  std::size_t alive = 0;
  for (Thread& each : block.threads) {
    alive += each.state != State::Exited;
    if (each.state == State::AtBarrier) waiting[each.barrier].push_back(&each);
  }
  bool hasCompleted = false;
  for (unsigned id = 0; id < waiting.size(); ++id) {
    std::vector<Thread*>& threads = waiting[id];
    if (threads.empty()) continue;
    const unsigned count = threads.front()->barrierCount;
    // A warp of which all threads have come counts as one of 32.
    std::size_t arrived = threads.size() + block.arrivedOnly[id];
    std::size_t needed = alive;
    if (count != 0) {
      needed = count;
      const std::size_t last = block.threads.size() % kWarp;
      const auto isOfLast = [&](const Thread* each) { return each->warp == block.threads.size() / kWarp; };
      if (last != 0 && std::count_if(threads.begin(), threads.end(), isOfLast) == static_cast<std::ptrdiff_t>(last))
        arrived += kWarp - last;
    }
    if (arrived < needed) continue;
    checkAligned(threads);
    if (threads.front()->complete) threads.front()->complete(threads);
    block.arrivedOnly[id] = 0;
    resume(threads);
    hasCompleted = true;
  }
  return hasCompleted;
}

std::string describeWait(const Block& block) {
  std::string text = "all threads wait:";
  unsigned told = 0;
  for (const Thread& each : block.threads) {
    if (each.state == State::Exited || ++told > 4) continue;
    text += " thread " + std::to_string(each.id.x) + ' ' + std::to_string(each.id.y) + ' ' + std::to_string(each.id.z) +
            " at line " + std::to_string(each.waitsAt->line) + " of " + each.frames.back().function->name +
            (each.state == State::AtWarp ? " for lanes " + std::to_string(each.mask) : std::string(" for a barrier")) +
            ';';
  }
  return text;
}

/// Runs a block for a turn.
void runBlock(Block& block) {
  std::uint64_t ran = 0;
  const unsigned warps = static_cast<unsigned>((block.threads.size() + kWarp - 1) / kWarp);
  while (ran < kBlockTurn && block.ended < block.threads.size()) {
    std::uint64_t before = ran;
    bool hasCompleted = false;
    for (unsigned warp = 0; warp < warps; ++warp) {
      eachLane(block, warp, [&](Thread& each) {
        if (each.state != State::Running && each.state != State::Pausing) return;
        each.state = State::Running;
        const std::uint64_t begin = each.ran;
        runThread(each, kTurn);
        ran += each.ran - begin;
        block.ended += each.state == State::Exited;
      });
      if (block.fault.error != Error::None) return;
      while (completeWarp(block, warp) || completeActive(block, warp))
        hasCompleted = true;
    }
    hasCompleted = completeBarriers(block) || hasCompleted;
    if (block.fault.error != Error::None) return;
    if (ran == before && !hasCompleted && block.ended < block.threads.size()) {
      Thread& first = *std::find_if(block.threads.begin(), block.threads.end(),
                                    [](const Thread& each) { return each.state != State::Exited; });
      first.fail(Error::Timeout, describeWait(block));
      return;
    }
  }
}

} // namespace

Fault run(const Launch& launch) {
  std::deque<std::unique_ptr<Block>> blocks;
  const std::uint64_t count = launch.grid.product();
  std::uint64_t begun = 0;
  while (begun < count || !blocks.empty()) {
    if (begun < count && blocks.size() < kMostBlocks) blocks.push_back(makeBlock(launch, begun++));
    for (auto each = blocks.begin(); each != blocks.end();) {
      runBlock(**each);
      if ((*each)->fault.error != Error::None) return (*each)->fault;
      if ((*each)->ended == (*each)->threads.size())
        each = blocks.erase(each);
      else
        ++each;
    }
  }
  return {};
}

} // namespace ptx
