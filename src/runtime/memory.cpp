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

Ref<Storage> newStorage(Context& context, std::size_t size, void* hostPointer) {
  if (hostPointer && context.sharedMemory().contains(hostPointer))
    return Ref<Storage>::adopt(new Storage(context.homes(), size, Storage::SharedBytes{hostPointer}));
  auto storage = Ref<Storage>::adopt(new Storage(context.homes(), size, alignmentFor(context), hostPointer));
  // Where it will most likely be used there is memory now, or an error.
  storage->allocateOn(context.homes().of(context.devices().front()->memory()));
  return storage;
}

bool isReadOnly(cl_mem_flags flags) { return (flags & CL_MEM_READ_ONLY) != 0; }

} // namespace

MemoryObject::MemoryObject(Context& context, cl_mem_flags flags, std::size_t size, void* hostPointer,
                           std::vector<cl_mem_properties> propertyList)
    : MemoryView(newStorage(context, size, flags & CL_MEM_USE_HOST_PTR ? hostPointer : nullptr), 0, size,
                 clotho::isReadOnly(flags)),
      context_(context), flags_(flags), hostPointer_(flags & CL_MEM_USE_HOST_PTR ? hostPointer : nullptr),
      propertyList_(std::move(propertyList)) {
  if (!hostPointer || hostPointer_) return;
  std::memcpy(bytesOn(kHostHome), hostPointer, size);
  if (storage().isTracked()) storage().noteWritten(kHostHome, range());
}

MemoryObject::MemoryObject(MemoryObject& parent, cl_mem_flags flags, std::size_t origin, std::size_t size)
    : MemoryView(Ref<Storage>(parent.storage()), origin, size, clotho::isReadOnly(flags)), context_(parent.context()),
      parent_(parent), flags_(flags),
      hostPointer_(parent.hostPointer_ ? static_cast<std::byte*>(parent.hostPointer_) + origin : nullptr) {}

MemoryObject::~MemoryObject() = default;

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
  std::size_t begin = origin() + offset, otherBegin = other.origin() + otherOffset;
  return begin < otherBegin + size && otherBegin < begin + size;
}

MemoryObject::OwnedMapping MemoryObject::owned(const Mapping& mapping) const {
  const std::size_t begin = origin() + mapping.offset;
  return {this, begin, begin + mapping.size, (mapping.flags & kWriting) != 0};
}

void* MemoryObject::addMapping(const Mapping& mapping) {
  MemoryObject& owner = this->owner();
  const OwnedMapping added = owned(mapping);
  std::byte* bytes = bytesOn(kHostHome);
  MutexLock lock(owner.mutex_);
  for (const OwnedMapping& old : owner.mappings_)
    check(!(added.forWriting && old.forWriting && added.begin < old.end && old.begin < added.end), CL_INVALID_OPERATION,
          "the region is mapped for writing already");
  owner.mappings_.push_back(added);
  return bytes + mapping.offset;
}

// Not by its address, at which another thread may have made a map since.
void MemoryObject::takeBackMapping(const Mapping& mapping) noexcept {
  MemoryObject& owner = this->owner();
  MutexLock lock(owner.mutex_);
  const auto newest = std::find(owner.mappings_.rbegin(), owner.mappings_.rend(), owned(mapping));
  if (newest != owner.mappings_.rend()) owner.mappings_.erase(std::next(newest).base());
}

Range MemoryObject::removeMapping(const void* pointer) {
  MemoryObject& owner = this->owner();
  const std::byte* bytes = storage().address(kHostHome);
  MutexLock lock(owner.mutex_);
  auto newest = std::find_if(owner.mappings_.rbegin(), owner.mappings_.rend(), [&](const OwnedMapping& mapping) {
    return mapping.through == this && bytes + mapping.begin == pointer;
  });
  check(newest != owner.mappings_.rend(), CL_INVALID_VALUE, "not the address of a mapped region");
  const Range written = newest->forWriting ? Range{newest->begin, newest->end} : Range{};
  owner.mappings_.erase(std::next(newest).base());
  return written;
}

cl_uint MemoryObject::mapCount() const {
  const MemoryObject& owner = this->owner();
  MutexLock lock(owner.mutex_);
  return static_cast<cl_uint>(std::count_if(owner.mappings_.begin(), owner.mappings_.end(),
                                            [this](const OwnedMapping& mapping) { return mapping.through == this; }));
}

} // namespace clotho
