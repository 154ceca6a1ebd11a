// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "guarded_memory.hpp"

#include <cstdint>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

namespace {

std::size_t pageBytes() { return std::size_t(sysconf(_SC_PAGESIZE)); }

} // namespace

GuardedMemory::GuardedMemory(cl_context context, std::size_t bytes, Side guarded) : context_(context) {
  const std::size_t page = pageBytes(), inside = (bytes + page - 1) / page * page;
  // One page more, since the memory may begin within a page.
  allocated_ = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, inside + 2 * page, 0);
  if (allocated_ == nullptr) throw std::runtime_error("no memory for a buffer");
  auto* first = static_cast<unsigned char*>(allocated_);
  first += (page - reinterpret_cast<std::uintptr_t>(first) % page) % page;
  guard_ = guarded == Side::Begin ? first : first + inside;
  data_ = guarded == Side::Begin ? first + page : guard_ - bytes;
  if (mprotect(guard_, page, PROT_NONE) != 0) {
    clSVMFree(context_, allocated_);
    throw std::runtime_error("no page can be made inaccessible");
  }
}

GuardedMemory::~GuardedMemory() {
  mprotect(guard_, pageBytes(), PROT_READ | PROT_WRITE);
  clSVMFree(context_, allocated_);
}

bool GuardedMemory::isSupported(cl_device_id device) {
  cl_device_svm_capabilities capabilities = 0;
  return clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof capabilities, &capabilities, nullptr) ==
             CL_SUCCESS &&
         (capabilities & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0;
}
