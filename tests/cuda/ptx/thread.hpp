// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What handlers work on: threads, and the block that they are of.
#pragma once

#include "module.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace ptx {

// Generic addresses of shared memory, of a thread's local memory and of a kernel's parameters. Others are the host's.
inline constexpr std::uint64_t kSharedWindow = 0x8001'0000'0000, kLocalWindow = 0x8002'0000'0000,
                               kParameterWindow = 0x8003'0000'0000, kWindow = 0x1'0000'0000;

enum class State : std::uint8_t {
  Running,
  AtWarp,    ///< waits for the lanes of a mask
  AtActive,  ///< at activemask, until no other lane of the warp can run
  AtBarrier, ///< waits for the block
  Pausing,   ///< running, but others are to have a turn first
  Exited,
};

/// Errors of CUDA by which launches end.
enum class Error : int {
  None = 0,
  IllegalAddress = 700,
  Timeout = 702,
  Assert = 710,
  IllegalInstruction = 715,
  MisalignedAddress = 716,
  InvalidPc = 718,
};

struct Dimensions {
  unsigned x = 1, y = 1, z = 1;
  std::uint64_t product() const { return std::uint64_t{x} * y * z; }
};

struct Thread;
struct Block;

/// Completes an operation of a warp: all `threads` have arrived at it.
using Complete = void (*)(const std::vector<Thread*>& threads);

struct Frame {
  const Function* function = nullptr;
  const Instruction* back = nullptr; ///< behind the call
  const CallSite* call = nullptr;
  std::size_t slots = 0, parameters = 0, local = 0; ///< where they begin
};

struct Thread {
  std::uint64_t* slots = nullptr; ///< of the current frame
  const Instruction* next = nullptr;
  State state = State::Running;
  bool carry = false;
  std::uint8_t* parameters = nullptr; ///< of the current frame
  std::size_t localBase = 0;
  Block* block = nullptr;
  Dimensions id; ///< %tid
  unsigned lane = 0, warp = 0;
  const Instruction* waitsAt = nullptr;
  Complete complete = nullptr;
  std::uint32_t mask = 0; ///< whom it waits for
  unsigned barrier = 0, barrierCount = 0;
  std::uint64_t ran = 0; ///< instructions
  std::vector<std::uint64_t> slotStack;
  std::vector<std::uint8_t> parameterStack, local;
  std::size_t localTop = 0;
  std::vector<Frame> frames;

  template <class T> T get(Slot slot) const {
    T value;
    std::memcpy(&value, slots + slot, sizeof value);
    return value;
  }
  /// Registers that are wider than the value get it with its sign, or zeros.
  template <class T> void set(Slot slot, T value) {
    if constexpr (std::is_integral_v<T>) {
      slots[slot] = static_cast<std::uint64_t>(value);
    } else {
      slots[slot] = 0;
      std::memcpy(slots + slot, &value, sizeof value);
    }
  }
  /// Ends the launch.
  void fail(Error error, const std::string& what);
  void enter(const Function& function, const CallSite* call);
  /// False if it has left the kernel.
  bool leave();
};

struct Barrier {
  std::vector<bool> arrived; ///< warps by bar.arrive
  unsigned pending = 0;
};

struct Launch {
  const Function* kernel = nullptr;
  const Module* module = nullptr;
  Dimensions grid, block;
  std::size_t sharedBytes = 0; ///< dynamic
  std::vector<std::uint8_t> parameters;
};

struct Fault {
  Error error = Error::None;
  std::string text;
};

struct Block {
  const Launch* launch = nullptr;
  Dimensions id; ///< %ctaid
  std::vector<std::uint64_t> shared;
  std::size_t sharedSize = 0;
  std::vector<Thread> threads;
  std::array<unsigned, 16> arrivedOnly{}; ///< threads that arrived at barriers without waiting
  std::size_t ended = 0;
  Fault fault;
};

/// Runs one instruction after the other until the thread's state changes or it has had its turn.
void runThread(Thread& thread, unsigned turn);

/// Runs all blocks of a grid. Blocks that wait for others, and threads that wait for others of their warp, see them
/// progress.
Fault run(const Launch& launch);

} // namespace ptx
