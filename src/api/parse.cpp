// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/parse.hpp"

#include "base/log.hpp"
#include "runtime/devices.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>

namespace clotho::api {

namespace {

template <class T> constexpr Error kInvalid{}; // what a handle of this kind that is none is told
template <> constexpr Error kInvalid<SubDevice>{CL_INVALID_DEVICE, "not a device"};
template <> constexpr Error kInvalid<Context>{CL_INVALID_CONTEXT, "not a context"};
template <> constexpr Error kInvalid<Queue>{CL_INVALID_COMMAND_QUEUE, "not a command-queue of the host"};
template <> constexpr Error kInvalid<DeviceCommandQueue>{CL_INVALID_COMMAND_QUEUE, "not a command-queue"};
template <> constexpr Error kInvalid<MemoryObject>{CL_INVALID_MEM_OBJECT, "not a memory object"};
template <> constexpr Error kInvalid<Sampler>{CL_INVALID_SAMPLER, "not a sampler"};
template <> constexpr Error kInvalid<Semaphore>{CL_INVALID_SEMAPHORE_KHR, "not a semaphore"};
template <> constexpr Error kInvalid<Program>{CL_INVALID_PROGRAM, "not a program"};
template <> constexpr Error kInvalid<Kernel>{CL_INVALID_KERNEL, "not a kernel"};
template <> constexpr Error kInvalid<Event>{CL_INVALID_EVENT, "not an event"};
template <> constexpr Error kInvalid<CommandBuffer>{CL_INVALID_COMMAND_BUFFER_KHR, "not a command buffer"};
template <> constexpr Error kInvalid<MutableCommand>{CL_INVALID_MUTABLE_COMMAND_KHR, "not a recorded command"};

/// The object that the handle points to, or one that is being made or unmade. A handle that is not ours is
/// only computed with, never read; the sanitizer's check of the cast would read it.
template <class T> __attribute__((no_sanitize("undefined"))) T* candidate(typename T::Handle raw) {
  T* candidate = static_cast<T*>(raw);
  return raw && Process::get().slab<T>().isLive(candidate) ? candidate : nullptr;
}

template <class T> T& inSlab(typename T::Handle raw, const Error& error = kInvalid<T>) {
  T* found = candidate<T>(raw);
  if (!found) throw error;
  return *found;
}

template <class T> Ref<T> alive(typename T::Handle raw, const Error& error = kInvalid<T>) {
  Ref<T> object = Ref<T>::ifAlive(&inSlab<T>(raw, error));
  if (!object) throw error;
  return object;
}

template <class T> void retainSlot(typename T::Handle raw) { inSlab<T>(raw).apiRetain(kInvalid<T>.code); }
template <class T> void releaseSlot(typename T::Handle raw) { inSlab<T>(raw).apiRelease(kInvalid<T>.code); }

bool isOnDevice(cl_command_queue raw) { return candidate<DeviceCommandQueue>(raw) != nullptr; }

Device* rootDevice(cl_device_id raw) {
  for (const Ref<Device>& device : Process::get().platform().knownDevices())
    if (raw && raw == device.get()) return device.get();
  return nullptr;
}

/// Any handle: it is looked at later.
__attribute__((no_sanitize("undefined"))) void prefetch(cl_event raw) {
  Process::get().slab<Event>().prefetch(static_cast<Event*>(raw));
}

} // namespace

cl_int statusOfException(const char* function) noexcept {
  try {
    throw;
  } catch (const Error& error) {
    CLOTHO_LOG(Api, Info, "%s: %s (%d)", function, error.why, error.code);
    return error.code;
  } catch (const std::bad_alloc&) {
    CLOTHO_LOG(Api, Warn, "%s: out of host memory", function);
    return CL_OUT_OF_HOST_MEMORY;
  } catch (const std::length_error&) {
    CLOTHO_LOG(Api, Warn, "%s: more than any memory can hold", function);
    return CL_OUT_OF_HOST_MEMORY;
  } catch (const std::exception& error) {
    CLOTHO_LOG(Api, Error, "%s: %s", function, error.what());
    return CL_OUT_OF_RESOURCES;
  } catch (...) {
    CLOTHO_LOG(Api, Error, "%s: unknown exception", function);
    return CL_OUT_OF_RESOURCES;
  }
}

Platform& object(cl_platform_id raw) {
  Platform& platform = Process::get().platform();
  check(raw == &platform, CL_INVALID_PLATFORM, "not a platform");
  return platform;
}

Platform& platformOrDefault(cl_platform_id raw) { return raw ? object(raw) : Process::get().platform(); }

Ref<Device> object(cl_device_id raw) {
  if (Device* root = rootDevice(raw)) return Ref<Device>(*root);
  return alive<SubDevice>(raw);
}

Ref<Context> object(cl_context raw) { return alive<Context>(raw); }
Ref<Queue> object(cl_command_queue raw) { return alive<Queue>(raw); }
Ref<MemoryObject> object(cl_mem raw) { return alive<MemoryObject>(raw); }
Ref<Sampler> object(cl_sampler raw) { return alive<Sampler>(raw); }
Ref<Semaphore> object(cl_semaphore_khr raw) { return alive<Semaphore>(raw); }
Ref<Program> object(cl_program raw) { return alive<Program>(raw); }
Ref<Kernel> object(cl_kernel raw) { return alive<Kernel>(raw); }
Ref<Event> object(cl_event raw) { return alive<Event>(raw); }
Ref<CommandBuffer> object(cl_command_buffer_khr raw) { return alive<CommandBuffer>(raw); }
Ref<MutableCommand> object(cl_mutable_command_khr raw) { return alive<MutableCommand>(raw); }

Ref<DeviceCommandQueue> deviceQueue(cl_command_queue raw, const Error& error) {
  return alive<DeviceCommandQueue>(raw, error);
}

AnyQueue anyQueue(cl_command_queue raw) {
  if (isOnDevice(raw)) return alive<DeviceCommandQueue>(raw);
  return alive<Queue>(raw);
}

// Root devices are not counted (section 4.3).
void retain(cl_device_id raw) {
  if (!rootDevice(raw)) retainSlot<SubDevice>(raw);
}
void retain(cl_context raw) { retainSlot<Context>(raw); }
void retain(cl_command_queue raw) { isOnDevice(raw) ? retainSlot<DeviceCommandQueue>(raw) : retainSlot<Queue>(raw); }
void retain(cl_mem raw) { retainSlot<MemoryObject>(raw); }
void retain(cl_sampler raw) { retainSlot<Sampler>(raw); }
void retain(cl_semaphore_khr raw) { retainSlot<Semaphore>(raw); }
void retain(cl_program raw) { retainSlot<Program>(raw); }
void retain(cl_kernel raw) { retainSlot<Kernel>(raw); }
void retain(cl_event raw) { retainSlot<Event>(raw); }
void retain(cl_command_buffer_khr raw) { retainSlot<CommandBuffer>(raw); }

void release(cl_device_id raw) {
  if (!rootDevice(raw)) releaseSlot<SubDevice>(raw);
}
void release(cl_context raw) { releaseSlot<Context>(raw); }
void release(cl_command_queue raw) { isOnDevice(raw) ? releaseSlot<DeviceCommandQueue>(raw) : releaseSlot<Queue>(raw); }
void release(cl_mem raw) { releaseSlot<MemoryObject>(raw); }
void release(cl_sampler raw) { releaseSlot<Sampler>(raw); }
void release(cl_semaphore_khr raw) { releaseSlot<Semaphore>(raw); }
void release(cl_program raw) { releaseSlot<Program>(raw); }
void release(cl_kernel raw) { releaseSlot<Kernel>(raw); }
void release(cl_event raw) { releaseSlot<Event>(raw); }
void release(cl_command_buffer_khr raw) { releaseSlot<CommandBuffer>(raw); }

void Waits::keep(cl_uint count, const cl_event* list, const Error& error) {
  if (count > few_.size()) many_.resize(count);
  // Each event has lines of its own, which the threads that run commands wrote to: together they come faster.
  constexpr cl_uint kMostAtOnce = 8;
  for (cl_uint i = 0; i < std::min(count, kMostAtOnce); ++i)
    prefetch(list[i]);
  Event** kept = many_.empty() ? few_.data() : many_.data();
  for (; count_ < count; ++count_)
    kept[count_] = alive<Event>(list[count_], error).detach();
}

Waits::Waits(const Context& context, cl_uint count, const cl_event* list) : Waits() {
  check((count == 0) == (list == nullptr), CL_INVALID_EVENT_WAIT_LIST, "wait list and its length do not agree");
  keep(count, list, {CL_INVALID_EVENT_WAIT_LIST, "the wait list has something that is not an event"});
  checkContext(context);
}

Waits::Waits(cl_uint count, const cl_event* list) : Waits() {
  check(count > 0 && list, CL_INVALID_VALUE, "no events");
  keep(count, list, kInvalid<Event>);
  checkContext(WaitList(*this).front()->context());
}

Waits::~Waits() {
  for (Event* event : WaitList(*this))
    event->release();
}

void Waits::checkContext(const Context& context) const {
  for (const Event* event : WaitList(*this))
    check(&event->context() == &context, CL_INVALID_CONTEXT, "the wait list has an event of another context");
}

std::vector<Ref<Device>> devicesIn(std::span<const cl_device_id> list) {
  std::vector<Ref<Device>> devices;
  for (cl_device_id raw : list)
    if (Ref<Device> device = object(raw); std::find(devices.begin(), devices.end(), device) == devices.end())
      devices.push_back(std::move(device));
  return devices;
}

std::vector<Ref<Device>> devicesOf(const std::vector<Ref<Device>>& all, cl_uint count, const cl_device_id* list) {
  check((count == 0) == (list == nullptr), CL_INVALID_VALUE, "device list and its length do not agree");
  if (!list) return all;
  std::vector<Ref<Device>> devices = devicesIn({list, count});
  for (const Ref<Device>& device : devices)
    check(std::find(all.begin(), all.end(), device) != all.end(), CL_INVALID_DEVICE,
          "a device of the list does not belong to the object");
  return devices;
}

std::vector<cl_device_id> devicesOfType(const Platform& platform, cl_device_type type) {
  constexpr cl_device_type kKnown = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                    CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
  check(type == CL_DEVICE_TYPE_ALL || (type && !(type & ~kKnown)), CL_INVALID_DEVICE_TYPE,
        "not a combination of device types");
  std::vector<cl_device_id> found;
  // A call for CPUs alone must not load the drivers of other devices.
  const bool isForHost = type == CL_DEVICE_TYPE_CPU && !mayHaveOtherCpus();
  for (const Ref<Device>& device : isForHost ? platform.hostDevices() : platform.devices()) {
    cl_device_type own = device->properties().type;
    bool isDefault = found.empty() && (type & CL_DEVICE_TYPE_DEFAULT) && own != CL_DEVICE_TYPE_CUSTOM;
    bool isNamed = type == CL_DEVICE_TYPE_ALL ? own != CL_DEVICE_TYPE_CUSTOM : (type & own) != 0;
    if (isDefault || isNamed) found.push_back(device.get());
  }
  check(!found.empty(), CL_DEVICE_NOT_FOUND, "no device of this type");
  return found;
}

bool anyClaims(const Context& context, std::size_t row) {
  return std::ranges::any_of(context.devices(), [&](const auto& device) { return device->claims().has(row); });
}

bool allClaim(const Context& context, std::size_t row) {
  return std::ranges::all_of(context.devices(), [&](const auto& device) { return device->claims().has(row); });
}

void finish(Ref<Event> event, cl_bool blocking, cl_event* out) {
  if (blocking) {
    static constinit const trace::Name kBlockingCall("blocking call");
    const trace::Scope traced(kBlockingCall, trace::isOn() ? event->traceName() : 0);
    cl_int status = event->wait();
    check(status >= 0, status, "the command that the call waited for failed");
  }
  give(std::move(event), out);
}

} // namespace clotho::api
