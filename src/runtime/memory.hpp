// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/handles.hpp"
#include "base/mutex.hpp"
#include "base/slab.hpp"
#include "command/storage.hpp"

#include <atomic>
#include <cstddef>
#include <vector>

namespace clotho {

class Context;

/// A buffer or sub-buffer. (Images and pipes come later and share what is here.)
class MemoryObject final : public MemoryView, public _cl_mem {
 public:
  using Handle = cl_mem;
  using DestructorCallback = void(CL_CALLBACK*)(cl_mem, void*);

  struct Mapping {
    std::size_t offset, size;
    cl_map_flags flags;
  };

  /// A buffer of `size` bytes; `flags` are checked and complete. Throws CL_MEM_OBJECT_ALLOCATION_FAILURE.
  MemoryObject(Context& context, cl_mem_flags flags, std::size_t size, void* hostPointer,
               std::vector<cl_mem_properties> propertyList);
  /// A sub-buffer.
  MemoryObject(MemoryObject& parent, cl_mem_flags flags, std::size_t origin, std::size_t size);

  Context& context() const { return *context_; }
  cl_mem_flags flags() const { return flags_; }
  void* hostPointer() const { return hostPointer_; }
  MemoryObject* parent() const { return parent_.get(); }
  std::size_t origin() const { return begin(); } ///< in the parent
  const std::vector<cl_mem_properties>& propertyList() const { return propertyList_; }

  /// Whether some byte is in both objects, when each has this many bytes from this offset on.
  bool overlaps(std::size_t offset, const MemoryObject& other, std::size_t otherOffset, std::size_t size) const;

  /// Begins a map and returns its address in the host's home. Maps are kept by the buffer that owns the bytes, since
  /// those of its sub-buffers must not overlap either. Throws CL_INVALID_OPERATION for an overlap that section 5.2.4
  /// forbids, CL_MEM_OBJECT_ALLOCATION_FAILURE.
  void* addMapping(const Mapping& mapping);
  /// The same map never began, since its command could not be enqueued or failed while the caller waited for it.
  void takeBackMapping(const Mapping& mapping) noexcept;
  /// Ends the newest map at `pointer`; CL_INVALID_VALUE when there is none. The bytes that the application may have
  /// written, of the storage.
  Range removeMapping(const void* pointer);
  cl_uint mapCount() const;

  void addDestructorCallback(DestructorCallback function, void* userData) EXCLUDES(mutex_);

 private:
  friend class Slab<MemoryObject>;
  /// A map as the owner of the bytes knows it.
  struct OwnedMapping {
    const MemoryObject* through; ///< the object that was mapped: the owner or a sub-buffer
    std::size_t begin, end;
    bool forWriting;

    bool operator==(const OwnedMapping&) const = default;
  };

  ~MemoryObject() override;
  void destroy() noexcept override;
  OwnedMapping owned(const Mapping& mapping) const;
  MemoryObject& owner() { return parent_ ? *parent_ : *this; }
  const MemoryObject& owner() const { return parent_ ? *parent_ : *this; }

  Ref<Context> context_;
  Ref<MemoryObject> parent_;
  const cl_mem_flags flags_;
  void* const hostPointer_ = nullptr;
  const std::vector<cl_mem_properties> propertyList_;

  mutable Mutex mutex_;
  std::vector<OwnedMapping> mappings_ GUARDED_BY(mutex_);
  std::vector<std::pair<DestructorCallback, void*>> destructorCallbacks_ GUARDED_BY(mutex_);
  std::atomic<bool> hasDestructorCallbacks_{false};
};

} // namespace clotho
