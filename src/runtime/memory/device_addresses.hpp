// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "base/object.hpp"
#include "command/storage.hpp"

#include <cstdint>
#include <map>
#include <utility>

namespace clotho {

class MemoryObject;

/// The buffers of a context whose addresses the application may ask for (cl_ext_buffer_device_address): one in each
/// home that some device of the context works in, fixed as long as the buffer lives. A kernel that is given such an
/// address uses the buffer, which therefore has to be found.
class DeviceAddresses {
 public:
  /// The buffer has memory in that home, at `begin`.
  void add(MemoryObject& buffer, HomeId home, const std::byte* begin) EXCLUDES(mutex_);
  void remove(const MemoryObject& buffer) noexcept EXCLUDES(mutex_);
  /// The buffer that has this byte in its home; null if none has, or it is about to go.
  Ref<MemoryObject> find(HomeId home, const void* pointer) const EXCLUDES(mutex_);

 private:
  using Place = std::pair<HomeId, std::uintptr_t>;

  mutable Mutex mutex_;
  std::multimap<Place, MemoryObject*> buffers_ GUARDED_BY(mutex_); // several over one host pointer
};

} // namespace clotho
