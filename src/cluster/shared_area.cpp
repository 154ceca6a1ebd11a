// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cluster/shared_area.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace clotho::cluster {

namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

void* mapAll(int descriptor, std::size_t size) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

} // namespace

// Fresh pages are zeros, which is what all members begin with.
SharedArea SharedArea::create(UniqueFd& descriptor) {
  descriptor = aboveLowNumbers(makeFd([] { return memfd_create("clotho-cluster", MFD_CLOEXEC | MFD_ALLOW_SEALING); }));
  if (!descriptor || ftruncate(descriptor.get(), sizeof(Layout)) != 0 ||
      fcntl(descriptor.get(), F_ADD_SEALS, kSeals) != 0)
    return {};
  return SharedArea(static_cast<Layout*>(mapAll(descriptor.get(), sizeof(Layout))));
}

// Memory that its maker can cut off would end this process at the next access.
SharedArea SharedArea::map(const UniqueFd& descriptor) {
  struct stat file{};
  const int seals = descriptor ? fcntl(descriptor.get(), F_GET_SEALS) : -1; // -1, too, if it cannot have any
  if (!descriptor || fstat(descriptor.get(), &file) != 0 || file.st_size != static_cast<off_t>(sizeof(Layout)) ||
      seals < 0 || (seals & kSeals) != kSeals)
    return {};
  return SharedArea(static_cast<Layout*>(mapAll(descriptor.get(), sizeof(Layout))));
}

SharedArea::~SharedArea() {
  if (layout_) munmap(layout_, sizeof(Layout));
}

} // namespace clotho::cluster
