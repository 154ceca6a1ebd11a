// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "steps.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <ostream>

namespace clotho::test {

thread_local int allocationsUntilFailure = -1;

namespace {

constexpr int kFresh = 0xdb;

[[maybe_unused]] void* allocateOrThrow(std::size_t size, std::size_t alignment) {
  if (allocationsUntilFailure == 0) throw std::bad_alloc();
  if (allocationsUntilFailure > 0) --allocationsUntilFailure;
  void* memory =
      std::aligned_alloc(alignment, (std::max<std::size_t>(size, 1) + alignment - 1) / alignment * alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}

} // namespace

} // namespace clotho::test

// This program has operators of its own, so that tests see what becomes of a lack of memory. Sanitizers have theirs.
#if !defined(CLOTHO_SANITIZED)
void* operator new(std::size_t size) { return clotho::test::allocateOrThrow(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return clotho::test::allocateOrThrow(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
#endif

namespace clotho::test {

void* StepMemory::allocate(std::size_t size, std::size_t) noexcept {
  void* memory = std::malloc(size);
  std::memset(memory, kFresh, size);
  ++allocations_;
  return memory;
}

void StepMemory::deallocate(void* memory, std::size_t) noexcept {
  std::free(memory);
  --allocations_;
}

bool StepMemory::write(void* to, const void* from, std::size_t size) noexcept {
  std::memcpy(to, from, size);
  return true;
}

TestCommand::TestCommand(StepQueue& queue, HomeId home, std::vector<Operand> operands)
    : Node(&queue, work_, state_, /*isTimed=*/false), queue_(queue), work_(HostCall{nullptr, {}, std::move(operands)}) {
  setHome(home);
}

std::ostream& operator<<(std::ostream& out, const Move& move) {
  return out << int{move.from} << "->" << int{move.to} << " [" << move.range.begin << ',' << move.range.end << ')';
}

Steps::Steps(std::size_t farHomes, void* hostPointer, std::uint64_t hostLimit) : host_(hostLimit) {
  std::vector<DeviceMemory*> memories;
  for (std::size_t i = 0; i < farHomes; ++i)
    memories.push_back(memories_.emplace_back(std::make_unique<StepMemory>()).get());
  const auto homes = Ref<Homes>::adopt(new Homes(host_, std::move(memories)));
  const auto storage = Ref<Storage>::adopt(new Storage(*homes, kSize, 128, hostPointer));
  view_ = Ref<TestView>::adopt(new TestView(*storage));
}

Steps::~Steps() {
  EXPECT_TRUE(moves().empty()) << "a test ends what it has begun";
  EXPECT_TRUE(commands_.started().empty());
  release();
  EXPECT_EQ(allocations(), 0u);
}

std::size_t Steps::allocations() const {
  std::size_t count = host_.used() != 0;
  for (const auto& memory : memories_)
    count += memory->allocations();
  return count;
}

Ref<TestCommand> Steps::make(HomeId home, std::vector<Operand> operands) {
  storage().allocateOn(home);
  auto command = Ref<TestCommand>::adopt(new TestCommand(commands_, home, std::move(operands)));
  command->holdItself();
  return command;
}

Ref<TestCommand> Steps::run(HomeId home, Access access, Range range) {
  Ref<TestCommand> command = make(home, {operand(access, range)});
  command->arm();
  return command;
}

std::vector<Move> Steps::runToEnd(HomeId home, Access access, Range range) {
  const Ref<TestCommand> command = run(home, access, range);
  std::vector<Move> ended;
  while (!moves().empty())
    ended.push_back(endMove());
  EXPECT_TRUE(command->isRunning());
  if (command->isRunning()) end(command);
  return ended;
}

void Steps::write(HomeId home, Range range, int value) {
  const Ref<TestCommand> command = run(home, Access::Discard, range);
  ASSERT_TRUE(command->isRunning());
  std::memset(bytes(home) + range.begin, value, range.end - range.begin);
  end(command);
}

bool Steps::has(HomeId home, Range range, int value) {
  return std::all_of(bytes(home) + range.begin, bytes(home) + range.end,
                     [value](std::byte byte) { return byte == static_cast<std::byte>(value); });
}

void Steps::end(const Ref<TestCommand>& command, cl_int status) {
  const auto& started = commands_.started();
  const auto place = std::find(started.begin(), started.end(), command.get());
  ASSERT_NE(place, started.end());
  commands_.take(static_cast<std::size_t>(place - started.begin())).complete(status);
}

std::vector<Move> Steps::moves() {
  std::vector<Move> all;
  for (const auto& memory : memories_)
    for (Node* node : memory->transfers().started())
      all.push_back(moveOf(*node));
  return all;
}

Move Steps::moveOf(Node& node) {
  const Copy& copy = *std::get_if<Copy>(&node.command());
  const auto& transfer = static_cast<const Transfer&>(node);
  const Range range = transfer.range();
  EXPECT_TRUE(transfer.from() == kHostHome || transfer.to() == kHostHome || memory(transfer.to()).seesOthers)
      << "the device does not see others' memory";
  EXPECT_EQ(copy.rowBytes, range.end - range.begin);
  EXPECT_EQ(copy.rows * copy.slices, 1u);
  return {&node, transfer.from(), transfer.to(), range};
}

Move Steps::endMove(const Move& move, cl_int status) {
  StepQueue& queue = memory(move.to != kHostHome ? move.to : move.from).transfers();
  const auto& started = queue.started();
  const auto place = std::find(started.begin(), started.end(), move.node);
  EXPECT_NE(place, started.end());
  Node& node = queue.take(static_cast<std::size_t>(place - started.begin()));
  const Copy& copy = *std::get_if<Copy>(&node.command());
  if (status == CL_COMPLETE) std::memcpy(copy.target, copy.source, copy.rowBytes);
  node.complete(status);
  return move;
}

} // namespace clotho::test
