// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/object.hpp"
#include "device/device.hpp"
#include "runtime/memory.hpp"
#include "runtime/program.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <variant>
#include <vector>

/// What commands do, as plain data: everything is checked and resolved before a command exists.
namespace clotho {

/// The range of a launch; unused dimensions have size 1 and offset 0.
struct NDRange {
  cl_uint dimensions = 1;
  std::array<std::uint64_t, 3> offset{0, 0, 0};
  std::array<std::uint64_t, 3> global{1, 1, 1};
  std::array<std::uint64_t, 3> local{1, 1, 1};

  /// Of the last group in each dimension fewer work-items may be left than `local` says.
  std::uint64_t groups(int dimension) const {
    return global[dimension] / local[dimension] + (global[dimension] % local[dimension] != 0);
  }
  /// Of all work-groups; products of sizes may be huge.
  double items() const {
    return static_cast<double>(global[0]) * static_cast<double>(global[1]) * static_cast<double>(global[2]);
  }
  std::uint64_t groupItems() const { return local[0] * local[1] * local[2]; } ///< of the enqueued size
};

/// A kernel's arguments at one moment: the argument block, and what it refers to.
struct ArgSnapshot {
  static constexpr std::size_t kInlineBytes = 128;
  static constexpr std::size_t kInlineObjects = 6;
  /// Of the block: the largest type's. Kernels load their arguments with the alignment of their types.
  static constexpr std::align_val_t kBlockAlignment{128};
  struct FreeBlock {
    void operator()(std::byte* block) const { ::operator delete[](block, kBlockAlignment); }
  };

  alignas(128) std::array<std::byte, kInlineBytes> inlineBlock;
  std::unique_ptr<std::byte[], FreeBlock> heapBlock;         ///< when the block is larger
  std::array<MemoryObject*, kInlineObjects> inlineObjects{}; ///< null behind the last
  std::vector<MemoryObject*> moreObjects;
  std::uint64_t localBytes = 0; ///< of the work-group: the kernel's own and its arguments'

  /// Of the arguments that are buffers, in order; those that are null are left out.
  std::size_t objectCount() const {
    const auto end = std::find(inlineObjects.begin(), inlineObjects.end(), nullptr);
    return static_cast<std::size_t>(end - inlineObjects.begin()) + moreObjects.size();
  }
  MemoryObject& object(std::size_t i) const {
    return *(i < kInlineObjects ? inlineObjects[i] : moreObjects[i - kInlineObjects]);
  }
  const std::byte* block() const { return heapBlock ? heapBlock.get() : inlineBlock.data(); }
};

struct Nothing {}; ///< markers, barriers, user events, maps: ordering only

/// The command keeps its program and the objects among its arguments alive from submission to completion (OpenCL 3.0,
/// section 5.9.2: the kernel itself keeps nothing alive). In an in-order queue the newest of several equal launches
/// does so for all of them, since it ends last: see Event::holdArguments.
struct Launch {
  ArgSnapshot args; // first: it is aligned
  const DeviceKernel* kernel;
  Program* program;
  NDRange range;
  std::uint64_t referencesId = 0; ///< launches with the same number refer to the same; 0: to what no other does

  /// False, and nothing is retained, when one of the objects is gone: kernels do not keep their arguments.
  [[nodiscard]] bool tryRetainReferences() const noexcept;
  void releaseReferences() const noexcept;
};

/// Bytes from one place to another in up to three dimensions: read, write and copy, plain or rectangular.
/// A plain copy is one row. Rows and slices lie `*Pitch` bytes apart.
struct Copy {
  const std::byte* source;
  std::byte* target;
  std::size_t rowBytes;
  std::size_t rows = 1;
  std::size_t slices = 1;
  std::size_t sourceRowPitch = 0, sourceSlicePitch = 0;
  std::size_t targetRowPitch = 0, targetSlicePitch = 0;
  Ref<MemoryObject> from, to; ///< null where the side is host memory
  bool mayOverlap = false;    ///< same bytes on both sides: as memmove
};

struct Fill {
  std::byte* target;
  std::size_t size;
  std::size_t patternSize; ///< a power of two up to 128
  std::array<std::byte, 128> pattern;
  Ref<MemoryObject> to;
};

struct Unmap {
  Ref<MemoryObject> object;
  void* pointer;
};

/// A command that runs on the thread for user code: native kernels.
struct HostCall {
  void(CL_CALLBACK* function)(void*);
  std::unique_ptr<std::byte[]> args;
  std::vector<Ref<MemoryObject>> objects;
};

using Command = std::variant<Nothing, Launch, Copy, Fill, Unmap, HostCall>;

} // namespace clotho
