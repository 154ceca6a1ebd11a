// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/objects/semaphore.hpp"

#include "runtime/process.hpp"
#include "runtime/sync_files.hpp"

#include <algorithm>
#include <utility>

namespace clotho {

Semaphore::Semaphore(Context& context, std::vector<Ref<Device>> devices,
                     std::vector<cl_semaphore_properties_khr> propertyList, bool isImported)
    : context_(context), devices_(std::move(devices)), propertyList_(std::move(propertyList)), isImported_(isImported) {
}

void Semaphore::destroy() noexcept { Process::get().slab<Semaphore>().destroy(this); }

bool Semaphore::isFor(const Device& device) const {
  return std::any_of(devices_.begin(), devices_.end(), [&](const Ref<Device>& each) { return each.get() == &device; });
}

void Semaphore::import(int syncFile) { Process::get().syncFiles().signalWhenDone(*this, syncFile); }

} // namespace clotho
