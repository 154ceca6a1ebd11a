// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "fixture.hpp"

#include <algorithm>
#include <memory>

namespace clotho::test {

/// Base class of tests of shared memory. They map coarse-grain memory before they touch it, as programs have to: the
/// host cannot access the memory of far devices otherwise.
class SharedApi : public Api {
 protected:
  void SetUp() override;

  struct Free {
    cl_context context = nullptr;
    void operator()(void* memory) const { clSVMFree(context, memory); }
  };
  template <class T> using Svm = std::unique_ptr<T[], Free>;

  /// Coarse-grain unless `flags` say more.
  template <class T = cl_uint> Svm<T> allocate(size_t count, cl_svm_mem_flags flags = CL_MEM_READ_WRITE) {
    auto* memory = static_cast<T*>(clSVMAlloc(context_, flags, count * sizeof(T), 0));
    EXPECT_NE(memory, nullptr);
    return Svm<T>(memory, Free{context_});
  }
  void map(void* memory, size_t size, cl_map_flags flags = CL_MAP_READ | CL_MAP_WRITE);
  void unmap(void* memory);
  void launch(cl_kernel kernel, size_t items, size_t local = 0);
  /// What all devices of the context can.
  bool has(cl_device_svm_capabilities wanted) const { return (capabilities_ & wanted) == wanted; }

  cl_device_svm_capabilities capabilities_ = 0;
};

} // namespace clotho::test
