// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/memory.hpp"

#include "runtime/process.hpp"

#include <algorithm>
#include <cstring>
#include <string>

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

/// Tells the context's callback that a memory object has got no memory, in numbers.
void reportLack(Context& context, std::size_t size) noexcept {
  try {
    std::uint64_t most = 0;
    for (const Ref<Device>& device : context.devices())
      most = std::max(most, device->properties().globalMemorySize);
    context.report("no memory for a memory object of " + std::to_string(size) +
                       " bytes: with what is in use already that is more than there is, or than the " +
                       std::to_string(most >> 20) + " MiB of CL_DEVICE_GLOBAL_MEM_SIZE",
                   LogLevel::Warn);
  } catch (const std::bad_alloc&) {
    // The call's status tells it all the same.
  }
}

/// Makes sure that there is memory in a home, and tells the context's callback when there is none.
void allocateOn(Context& context, Storage& storage, HomeId home) {
  try {
    storage.allocateOn(home);
  } catch (const Error&) {
    reportLack(context, storage.size());
    throw;
  }
}

/// Whether kernels of all devices reach shared allocations at their addresses.
bool doAllShare(const Context& context) {
  return std::ranges::all_of(context.devices(), [](const Ref<Device>& device) {
    return device->properties().svmCapabilities != 0 || device->properties().unifiedMemory.host != 0;
  });
}

/// Whether kernels of all devices reach what begins at this address there. `texelBytes`: of images; 0 of buffers, which
/// the application has to align.
bool mayStay(const Context& context, const void* address, std::size_t texelBytes) {
  const std::size_t alignment = std::max<std::size_t>(texelBytes & -texelBytes, 1);
  return reinterpret_cast<std::uintptr_t>(address) % alignment == 0 ||
         std::ranges::none_of(context.devices(),
                              [](const Ref<Device>& device) { return device->properties().images.needAlignedTexels; });
}

/// The first device that is not lost, or the first of all.
Device& likelyDevice(const Context& context) {
  const auto& devices = context.devices();
  const auto found = std::ranges::find_if(devices, [](const Ref<Device>& device) { return device->isAvailable(); });
  return found == devices.end() ? *devices.front() : **found;
}

Ref<Storage> newStorage(Context& context, cl_mem_flags flags, std::size_t size, std::size_t texelBytes,
                        void* hostPointer, const ExternalMemory* external) {
  if (external) hostPointer = external->bytes();
  if (hostPointer && doAllShare(context) && context.sharedMemory().contains(hostPointer) &&
      mayStay(context, hostPointer, texelBytes))
    return Ref<Storage>::adopt(new Storage(context.homes(), size, Storage::SharedBytes{hostPointer}));
  auto storage =
      Ref<Storage>::adopt(new Storage(context.homes(), size, alignmentFor(context), hostPointer, external != nullptr));
  if (flags & CL_MEM_ALLOC_HOST_PTR) storage->setPinned();
  // The home in which it will most likely be used gets memory now, so that this call reports an error.
  allocateOn(context, *storage, context.homes().of(likelyDevice(context).memory()));
  return storage;
}

bool isReadOnly(cl_mem_flags flags) { return (flags & (CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT)) != 0; }

/// The application's memory if it is the object's.
void* usedPointer(cl_mem_flags flags, void* hostPointer) { return flags & CL_MEM_USE_HOST_PTR ? hostPointer : nullptr; }

TexelPlacement placementFor(cl_mem_flags flags, const ExternalMemory* external) {
  return external || (flags & CL_MEM_USE_HOST_PTR) ? TexelPlacement::OfTheShape : TexelPlacement::Own;
}

bool wantsDeviceAddress(const std::vector<cl_mem_properties>& list) {
  for (std::size_t i = 0; i + 1 < list.size(); i += 2) {
    if (list[i] == CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT) return list[i + 1] != CL_FALSE;
    if (list[i] != CL_MEM_DEVICE_HANDLE_LIST_KHR) continue;
    while (list[i + 1] != CL_MEM_DEVICE_HANDLE_LIST_END_KHR) // a list among the values
      ++i;
  }
  return false;
}

/// Makes memory for the buffer in all homes, in which the context finds it by its addresses from then on. A buffer that
/// is not made is not to be found, whatever fails.
void tellAddresses(MemoryObject& buffer) {
  Context& context = buffer.context();
  DeviceAddresses& addresses = context.deviceAddresses();
  try {
    std::uint64_t known = 0; // homes, as bits
    for (const Ref<Device>& device : context.devices()) {
      const HomeId home = context.homes().of(device->memory());
      if (known >> home & 1) continue;
      addresses.add(buffer, home, buffer.bytesOn(home));
      known |= std::uint64_t{1} << home;
    }
  } catch (...) {
    addresses.remove(buffer);
    throw;
  }
}

/// Rows of the application's memory to where the image has them.
void copyTexels(const Image& image, const std::byte* source, std::byte* target) {
  const Image::Triple whole = image.extent(0);
  const ByteRegion to = image.region(0, {}, whole);
  const ImageShape& shape = image.shape();
  ByteRegion from = to;
  from.slicePitch = shape.slicePitch ? shape.slicePitch : image.rowPitch() * shape.height;
  from.rowPitch = image.type() == CL_MEM_OBJECT_IMAGE1D_ARRAY ? from.slicePitch : image.rowPitch();
  for (std::size_t row = 0; row < to.rows * to.slices; ++row)
    std::memcpy(target + to.rowAt(row), source + from.rowAt(row), to.rowBytes);
}

} // namespace

MemoryObject::MemoryObject(Context& context, cl_mem_flags flags, std::size_t size, void* hostPointer,
                           std::vector<cl_mem_properties> propertyList, std::unique_ptr<ExternalMemory> external)
    : MemoryView(newStorage(context, flags, size, /*texelBytes=*/0, usedPointer(flags, hostPointer), external.get()), 0,
                 size, clotho::isReadOnly(flags)),
      context_(context), flags_(flags), hostPointer_(usedPointer(flags, hostPointer)),
      propertyList_(std::move(propertyList)), hasDeviceAddress_(wantsDeviceAddress(propertyList_)),
      external_(std::move(external)) {
  if (hostPointer && !hostPointer_) {
    std::memcpy(bytesOn(kHostHome), hostPointer, size);
    if (storage().isTracked()) storage().noteWritten(kHostHome, range());
  }
  if (hasDeviceAddress_) tellAddresses(*this);
}

MemoryObject::MemoryObject(MemoryObject& parent, cl_mem_flags flags, std::size_t origin, std::size_t size)
    : MemoryView(Ref<Storage>(parent.storage()), origin, size, clotho::isReadOnly(flags)), context_(parent.context()),
      parent_(parent), flags_(flags),
      hostPointer_(parent.hostPointer_ ? static_cast<std::byte*>(parent.hostPointer_) + origin : nullptr) {}

MemoryObject::MemoryObject(Context& context, cl_mem_flags flags, std::unique_ptr<const Image> image, void* hostPointer,
                           std::vector<cl_mem_properties> propertyList, std::unique_ptr<ExternalMemory> external)
    : MemoryView(newStorage(context, flags, image->size(), image->texelBytes(), usedPointer(flags, hostPointer),
                            external.get()),
                 0, image->size(), clotho::isReadOnly(flags)),
      context_(context), flags_(flags), hostPointer_(usedPointer(flags, hostPointer)),
      propertyList_(std::move(propertyList)), image_(std::move(image)), external_(std::move(external)) {
  if (!hostPointer || hostPointer_) return;
  copyTexels(*image_, static_cast<const std::byte*>(hostPointer), bytesOn(kHostHome));
  if (storage().isTracked()) storage().noteWritten(kHostHome, range());
}

MemoryObject::MemoryObject(Context& context, cl_mem_flags flags, const ImageShape& shape, void* hostPointer,
                           std::vector<cl_mem_properties> propertyList, std::unique_ptr<ExternalMemory> external)
    : MemoryObject(context, flags, std::make_unique<Image>(shape, placementFor(flags, external.get()), context.homes()),
                   hostPointer, std::move(propertyList), std::move(external)) {}

MemoryObject::MemoryObject(MemoryObject& parent, cl_mem_flags flags, std::unique_ptr<const Image> image,
                           std::vector<cl_mem_properties> propertyList)
    : MemoryView(Ref<Storage>(parent.storage()), parent.begin(), image->size(), clotho::isReadOnly(flags)),
      context_(parent.context()), parent_(parent), flags_(flags), propertyList_(std::move(propertyList)),
      image_(std::move(image)) {}

MemoryObject::MemoryObject(MemoryObject& parent, cl_mem_flags flags, const ImageShape& shape,
                           std::vector<cl_mem_properties> propertyList)
    : MemoryObject(parent, flags,
                   parent.image()
                       ? std::make_unique<Image>(shape, *parent.image())
                       : std::make_unique<Image>(shape, TexelPlacement::OfTheShape, parent.context().homes()),
                   std::move(propertyList)) {}

MemoryObject::MemoryObject(Context& context, cl_mem_flags flags, const Pipe& pipe)
    : MemoryView(newStorage(context, 0, pipe.bytes(), /*texelBytes=*/0, nullptr, nullptr), 0, pipe.bytes(),
                 /*isReadOnly=*/false),
      context_(context), flags_(flags), pipe_(pipe) {
  pipe.initialise(bytesOn(kHostHome));
  if (storage().isTracked()) storage().noteWritten(kHostHome, {0, pipe.initialBytes()});
}

std::byte* MemoryObject::allocatedOn(HomeId home) const {
  allocateOn(context(), storage(), home);
  return addressOn(home);
}

MemoryObject::~MemoryObject() {
  if (hasDeviceAddress_) context_->deviceAddresses().remove(*this);
}

void MemoryObject::destroy() noexcept {
  // No reference to the object is left, so the list needs no lock. The bytes go after the callbacks (section 5.5.1).
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

ByteRegion MemoryObject::inOwner(ByteRegion region) const {
  region.first += origin();
  return region;
}

bool MemoryObject::overlaps(const ByteRegion& region, const MemoryObject& other, const ByteRegion& otherRegion) const {
  return &storage() == &other.storage() && shareBytes(inOwner(region), other.inOwner(otherRegion));
}

MemoryObject::BegunMap MemoryObject::addMapping(const Mapping& mapping) {
  const MemoryObject& owner = this->owner();
  std::byte* bytes = bytesOn(kHostHome);
  MutexLock lock(owner.mutex_);
  const OwnedMapping added{++owner.mapsBegun_, this, inOwner(mapping.region), (mapping.flags & kWriting) != 0};
  for (const OwnedMapping& old : owner.mappings_)
    check(!(added.forWriting && old.forWriting && shareBytes(added.region, old.region)), CL_INVALID_OPERATION,
          "the region is mapped for writing already");
  owner.mappings_.push_back(added);
  return {bytes + mapping.region.first, added.number};
}

// Not by its address, at which another thread may have made a map since.
void MemoryObject::takeBackMap(std::uint64_t number) noexcept {
  const MemoryObject& owner = this->owner();
  MutexLock lock(owner.mutex_);
  std::erase_if(owner.mappings_, [&](const OwnedMapping& each) { return each.number == number; });
}

Range MemoryObject::removeMapping(const void* pointer) {
  const MemoryObject& owner = this->owner();
  const std::byte* bytes = storage().address(kHostHome);
  MutexLock lock(owner.mutex_);
  auto newest = std::find_if(owner.mappings_.rbegin(), owner.mappings_.rend(), [&](const OwnedMapping& mapping) {
    return mapping.through == this && bytes + mapping.region.first == pointer;
  });
  check(newest != owner.mappings_.rend(), CL_INVALID_VALUE, "not the address of a mapped region");
  const Range written = newest->forWriting ? Range{newest->region.first, newest->region.end()} : Range{};
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
