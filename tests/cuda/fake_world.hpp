// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of the fake driver (fake_driver.cpp, fake_modules.cpp, fake_places.cpp) share.
#pragma once

#include "device/cuda/driver.hpp"
#include "fake_stream.hpp"
#include "ptx/module.hpp"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#define API extern "C" __attribute__((visibility("default"))) int

namespace fake_cuda {

using clotho::cuda::CUdeviceptr;

inline constexpr int kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kInvalidContext = 201, kInvalidHandle = 400,
                     kInvalidPtx = 218, kNotFound = 500, kNotReady = 600, kOutOfResources = 701;

inline constexpr int kMostShared = 227 << 10; ///< bytes of one block

inline int number(const char* variable, int otherwise) {
  const char* text = std::getenv(variable); // NOLINT(concurrency-mt-unsafe)
  return text ? std::atoi(text) : otherwise;
}

inline std::size_t memorySize() {
  static const std::size_t bytes = static_cast<std::size_t>(number("FAKE_CUDA_MEMORY_MIB", 8192)) << 20;
  return bytes;
}

/// A kernel of a module, as cuModuleGetFunction gives it.
struct Function {
  std::shared_ptr<const ptx::Module> module;
  const ptx::Function* code = nullptr;
  std::size_t mostShared = std::size_t{48} << 10; ///< dynamic bytes of a launch
};

/// Code that cuModuleLoadDataEx has loaded. Launches keep it beyond cuModuleUnload.
struct Module {
  std::shared_ptr<ptx::Module> code;
  std::vector<std::shared_ptr<Function>> functions; ///< that were asked for; they end with the module
};

struct Context {
  int device;
};
inline thread_local std::vector<Context*> currentContexts;

/// Handles and memory that exist. Never destroyed: the application's exit may come at any time.
struct World {
  std::mutex mutex;
  std::map<CUdeviceptr, std::size_t> memory, pinned;
  std::size_t used = 0, kept = 0; ///< bytes of all memory; of what pools have of the system and is free
  std::set<Stream*> streams;
  std::set<Module*> modules;
  Stream defaultStream;
};
inline World& world() {
  static auto* const made = new World;
  return *made;
}

inline int ready() {
  if (isOver) {
    std::fputs("fake libcuda: a call after the end of the process has begun\n", stderr);
    std::abort();
  }
  return currentContexts.empty() ? kInvalidContext : isLost ? lostWith.load() : kSuccess;
}

inline Stream* streamOf(void* handle) {
  if (!handle) return &world().defaultStream;
  const std::lock_guard lock(world().mutex);
  auto* stream = static_cast<Stream*>(handle);
  return world().streams.contains(stream) ? stream : nullptr;
}

/// Puts a task into the stream with this handle.
inline int put(void* handle, Task task, bool isHeldBack = true) {
  if (const int error = ready()) return error;
  Stream* stream = streamOf(handle);
  if (!stream) return kInvalidHandle;
  stream->put(std::move(task), isHeldBack);
  return kSuccess;
}

} // namespace fake_cuda
