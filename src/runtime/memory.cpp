// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory.hpp"

#include "runtime/process.hpp"

#include <algorithm>
#include <cstring>

namespace clotho {

namespace {

constexpr cl_map_flags kWriting = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

/// The strictest alignment among the context's devices.
std::size_t alignmentFor(const Context& context) {
  std::size_t alignment = 1;
  for (const Ref<Device>& device : context.devices())
    alignment = std::max<std::size_t>(alignment, device->properties().baseAddressAlignment);
  return alignment;
}

} // namespace

MemoryObject::MemoryObject(Context& context, cl_mem_flags flags, std::size_t size, void* hostPointer,
                           std::vector<cl_mem_properties> propertyList)
    : context_(context), flags_(flags), size_(size), hostPointer_(flags & CL_MEM_USE_HOST_PTR ? hostPointer : nullptr),
      propertyList_(std::move(propertyList)) {
  if (hostPointer_) {
    bytes_ = static_cast<std::byte*>(hostPointer_);
    return;
  }
  bytes_ = static_cast<std::byte*>(context.devices().front()->allocate(size, alignmentFor(context)));
  check(bytes_, CL_MEM_OBJECT_ALLOCATION_FAILURE, "the device has not that much memory left");
  allocated_ = true;
  if (hostPointer) std::memcpy(bytes_, hostPointer, size);
}

MemoryObject::MemoryObject(MemoryObject& parent, cl_mem_flags flags, std::size_t origin, std::size_t size)
    : context_(parent.context()), parent_(parent), flags_(flags), size_(size), origin_(origin),
      hostPointer_(parent.hostPointer_ ? static_cast<std::byte*>(parent.hostPointer_) + origin : nullptr),
      bytes_(parent.bytes_ + origin) {}

MemoryObject::~MemoryObject() {
  if (allocated_) context_->devices().front()->deallocate(bytes_, size_);
}

void MemoryObject::destroy() noexcept {
  // Nobody refers to the object any more, so the list needs no lock. The bytes go after the callbacks (section 5.5.1).
  auto end = [this]() NO_THREAD_SAFETY_ANALYSIS {
    for (auto entry = destructorCallbacks_.rbegin(); entry != destructorCallbacks_.rend(); ++entry)
      entry->first(static_cast<cl_mem>(this), entry->second);
    Process::get().slab<MemoryObject>().destroy(this);
  };
  if (hasDestructorCallbacks_)
    Process::get().callbacks().post(end);
  else
    end();
}

void MemoryObject::addDestructorCallback(DestructorCallback function, void* userData) {
  MutexLock lock(mutex_);
  destructorCallbacks_.emplace_back(function, userData);
  hasDestructorCallbacks_ = true;
}

bool MemoryObject::overlaps(std::size_t offset, const MemoryObject& other, std::size_t otherOffset,
                            std::size_t size) const {
  if (&owner() != &other.owner()) return false;
  std::size_t begin = origin_ + offset, otherBegin = other.origin_ + otherOffset;
  return begin < otherBegin + size && otherBegin < begin + size;
}

void* MemoryObject::addMapping(const Mapping& mapping) {
  MemoryObject& owner = this->owner();
  OwnedMapping added{this, origin_ + mapping.offset, origin_ + mapping.offset + mapping.size,
                     (mapping.flags & kWriting) != 0};
  MutexLock lock(owner.mutex_);
  for (const OwnedMapping& old : owner.mappings_)
    check(!(added.forWriting && old.forWriting && added.begin < old.end && old.begin < added.end), CL_INVALID_OPERATION,
          "the region is mapped for writing already");
  owner.mappings_.push_back(added);
  return bytes_ + mapping.offset;
}

void MemoryObject::removeMapping(const void* pointer) {
  MemoryObject& owner = this->owner();
  MutexLock lock(owner.mutex_);
  auto newest = std::find_if(owner.mappings_.rbegin(), owner.mappings_.rend(), [&](const OwnedMapping& mapping) {
    return mapping.through == this && owner.bytes_ + mapping.begin == pointer;
  });
  check(newest != owner.mappings_.rend(), CL_INVALID_VALUE, "not the address of a mapped region");
  owner.mappings_.erase(std::next(newest).base());
}

cl_uint MemoryObject::mapCount() const {
  const MemoryObject& owner = this->owner();
  MutexLock lock(owner.mutex_);
  return static_cast<cl_uint>(std::count_if(owner.mappings_.begin(), owner.mappings_.end(),
                                            [this](const OwnedMapping& mapping) { return mapping.through == this; }));
}

} // namespace clotho
