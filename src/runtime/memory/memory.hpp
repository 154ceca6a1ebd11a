// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/handles.hpp"
#include "base/later_headers.hpp"
#include "base/mutex.hpp"
#include "base/slab.hpp"
#include "command/storage.hpp"
#include "runtime/memory/byte_region.hpp"
#include "runtime/memory/external_memory.hpp"
#include "runtime/memory/image.hpp"
#include "runtime/memory/pipe.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace clotho {

class Context;

/// A buffer, a sub-buffer, an image or a pipe. All kinds are one type, so that a cl_mem is judged before anything of it
/// is read.
class MemoryObject final : public MemoryView, public _cl_mem {
 public:
  using Handle = cl_mem;
  using DestructorCallback = void(CL_CALLBACK*)(cl_mem, void*);

  struct Mapping {
    ByteRegion region; ///< of the object's bytes
    cl_map_flags flags;
  };

  /// A buffer of `size` bytes; `flags` are checked and complete. Throws CL_MEM_OBJECT_ALLOCATION_FAILURE. The bytes
  /// are those of `external`, if there is any.
  MemoryObject(Context& context, cl_mem_flags flags, std::size_t size, void* hostPointer,
               std::vector<cl_mem_properties> propertyList, std::unique_ptr<ExternalMemory> external = nullptr);
  /// A sub-buffer.
  MemoryObject(MemoryObject& parent, cl_mem_flags flags, std::size_t origin, std::size_t size);
  /// An image with a storage of its own; CL_MEM_OBJECT_ALLOCATION_FAILURE. The pitches of the host pointer, or of the
  /// external memory, are the shape's.
  MemoryObject(Context& context, cl_mem_flags flags, const ImageShape& shape, void* hostPointer,
               std::vector<cl_mem_properties> propertyList, std::unique_ptr<ExternalMemory> external = nullptr);
  /// An image of the bytes of a buffer, or of those of another image of one level.
  MemoryObject(MemoryObject& parent, cl_mem_flags flags, const ImageShape& shape,
               std::vector<cl_mem_properties> propertyList);

  /// An empty pipe; CL_MEM_OBJECT_ALLOCATION_FAILURE.
  MemoryObject(Context& context, cl_mem_flags flags, const Pipe& pipe);

  Context& context() const { return *context_; }
  cl_mem_flags flags() const { return flags_; }
  void* hostPointer() const { return hostPointer_; }
  MemoryObject* parent() const { return parent_.get(); }
  /// Null for what is no image.
  const Image* image() const { return image_.get(); }
  /// Null for what is no pipe.
  const Pipe* pipe() const { return pipe_ ? &*pipe_ : nullptr; }
  /// A buffer or a sub-buffer.
  bool isBuffer() const { return !image_ && !pipe_; }
  /// Null unless it was made of external memory itself.
  const ExternalMemory* external() const { return external_.get(); }
  /// The last step of making it of external memory.
  void takeDescriptor() noexcept { external_->takeDescriptor(); }
  bool isSubBuffer() const { return parent_ && !image_; }
  std::size_t origin() const { return begin(); } ///< in the buffer or image that owns the bytes
  /// Nothing but its creation writes it (cl_ext_immutable_memory_objects).
  bool isImmutable() const { return (flags_ & CL_MEM_IMMUTABLE_EXT) != 0; }
  const std::vector<cl_mem_properties>& propertyList() const { return propertyList_; }
  /// Whether the application may ask for its addresses (cl_ext_buffer_device_address).
  bool hasDeviceAddress() const { return hasDeviceAddress_; }

  /// The bytes in a home, where they get memory if they have none yet. Throws CL_MEM_OBJECT_ALLOCATION_FAILURE, of
  /// which the context's callback is told.
  std::byte* bytesOn(HomeId home) const {
    std::byte* bytes = bytesInOnlyHome();
    return bytes ? bytes : allocatedOn(home);
  }

  /// Whether some byte is in a region of this object and in one of another.
  bool overlaps(const ByteRegion& region, const MemoryObject& other, const ByteRegion& otherRegion) const;

  struct BegunMap {
    void* pointer; ///< in the host's home
    std::uint64_t number;
  };
  /// Begins a map. Maps are kept by the buffer that owns the bytes, since those of its sub-buffers must not overlap
  /// either. Throws CL_INVALID_OPERATION for an overlap that section 5.2.4 forbids, CL_MEM_OBJECT_ALLOCATION_FAILURE.
  BegunMap addMapping(const Mapping& mapping);
  /// The map never began, since its command could not be enqueued or failed. It may have been taken back or ended
  /// before.
  void takeBackMap(std::uint64_t number) noexcept override;
  /// Ends the newest map at `pointer`; CL_INVALID_VALUE when there is none. The bytes that the application may have
  /// written, of the storage.
  Range removeMapping(const void* pointer);
  cl_uint mapCount() const;

  void addDestructorCallback(DestructorCallback function, void* userData) EXCLUDES(mutex_);

 private:
  friend class Slab<MemoryObject>;
  /// A map as the owner of the bytes knows it.
  struct OwnedMapping {
    std::uint64_t number;
    const MemoryObject* through; ///< the object that was mapped: the owner or a sub-buffer
    ByteRegion region;
    bool forWriting;
  };

  MemoryObject(Context& context, cl_mem_flags flags, std::unique_ptr<const Image> image, void* hostPointer,
               std::vector<cl_mem_properties> propertyList, std::unique_ptr<ExternalMemory> external);
  MemoryObject(MemoryObject& parent, cl_mem_flags flags, std::unique_ptr<const Image> image,
               std::vector<cl_mem_properties> propertyList);
  ~MemoryObject() override;
  void destroy() noexcept override;
  std::byte* allocatedOn(HomeId home) const;
  ByteRegion inOwner(ByteRegion region) const;
  const MemoryObject& owner() const { return parent_ ? parent_->owner() : *this; }

  Ref<Context> context_;
  Ref<MemoryObject> parent_;
  const cl_mem_flags flags_;
  void* const hostPointer_ = nullptr;
  const std::vector<cl_mem_properties> propertyList_;
  const bool hasDeviceAddress_ = false;
  const std::unique_ptr<const Image> image_;
  const std::optional<Pipe> pipe_;
  const std::unique_ptr<ExternalMemory> external_; // the storage's bytes in the host's home

  mutable Mutex mutex_;
  mutable std::vector<OwnedMapping> mappings_ GUARDED_BY(mutex_);
  mutable std::uint64_t mapsBegun_ GUARDED_BY(mutex_) = 0;
  std::vector<std::pair<DestructorCallback, void*>> destructorCallbacks_ GUARDED_BY(mutex_);
  std::atomic<bool> hasDestructorCallbacks_{false};
};

} // namespace clotho
