// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/file.hpp"
#include "runtime/capture/captures.hpp"
#include "runtime/memory/memory.hpp"
#include "runtime/objects/event.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace clotho {

struct AskedRange;
class Captures;
class Kernel;
class Queue;

/// One launch on its way into a file. Made by the thread that enqueues; the rest happens on threads for user code, one
/// step after the other, and `finish` deletes it.
class LaunchCapture {
 public:
  /// Throws an Error for a launch that cannot be described.
  LaunchCapture(Captures& captures, Queue& queue, const Kernel& kernel, const AskedRange& range, std::uint64_t number,
                const std::string& folder);
  /// Enqueues the launch between the two steps that capture it; returns the event of a marker behind them, which ends
  /// as the launch does.
  static Ref<Event> submit(std::unique_ptr<LaunchCapture> capture, cl_command_type type, Command&& launch,
                           WaitList deps);

 private:
  // describe.cpp
  void describe(const Kernel& kernel, const AskedRange& range);
  void addArgument(const Kernel& kernel, std::size_t index);
  void addDevicePointer(const Kernel& kernel, capture::Argument& argument);
  std::uint64_t add(MemoryObject& memory);

  // The steps.
  static LaunchCapture& of(const void* args) noexcept;
  static void CL_CALLBACK launchIsOver(cl_event event, cl_int status, void* self) noexcept;
  void abandon() noexcept;
  void writeInputs() noexcept;
  void writeOutputs() noexcept;
  static void CL_CALLBACK finish(cl_event event, cl_int status, void* self) noexcept;
  void writeResults() noexcept;
  void addOutputs() noexcept;
  void writeFailure(cl_int status) noexcept;
  void complete(const std::string& error);
  Command step(void (*function)(void*) noexcept);
  UniqueFd create();
  void findShared(std::vector<std::string>& bytes);
  /// Calls `use` with the bytes of each object that has some of its own, in the order of the file.
  template <class Use> void forEachObject(Use&& use) const;

  Captures& captures_;
  const Ref<Queue> queue_;
  const Ref<Object> program_; // keeps the variables
  const std::string folder_;
  std::string path_; // of the file when it is complete; empty before its first byte is written
  capture::Description description_;
  std::vector<Ref<MemoryObject>> memories_; // as in the description
  std::vector<const void*> reached_;        // addresses of shared memory that the launch has
  std::vector<ProgramVariable> variables_;
  std::vector<std::vector<std::uint64_t>> hashes_; // of the inputs
  capture::Writer::Position position_;
  Ref<Event> launch_, marker_;
  Ref<Event> isOver_;               // user event before the second step, which runs even if the launch fails
  Ref<Event> isWritten_;            // user event before the marker; has the launch's status
  std::atomic<bool> isLeft_{false}; // by the first step, or by the thread that cannot enqueue all of them
  std::uint64_t began_ = 0;
  capture::Outcome outcome_;
};

} // namespace clotho
