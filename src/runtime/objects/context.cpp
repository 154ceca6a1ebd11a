// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/objects/context.hpp"

#include "base/log.hpp"
#include "runtime/process.hpp"

#include <algorithm>

namespace clotho {

namespace {

cl_context_properties property(const std::vector<cl_context_properties>& list, cl_context_properties name) {
  for (std::size_t i = 0; i + 1 < list.size(); i += 2)
    if (list[i] == name) return list[i + 1];
  return 0;
}

/// The memories of the devices that have one of their own.
Ref<Homes> homesOf(const std::vector<Ref<Device>>& devices) {
  std::vector<DeviceMemory*> memories;
  const auto add = [&](DeviceMemory* memory) {
    if (memory && std::find(memories.begin(), memories.end(), memory) == memories.end()) memories.push_back(memory);
  };
  for (const Ref<Device>& device : devices) {
    add(device->memory());
    if (const Joint* joint = device->joint()) std::ranges::for_each(joint->memories(), add);
  }
  check(memories.size() < Homes::kMost, CL_OUT_OF_RESOURCES, "devices with too many different memories");
  return Ref<Homes>::adopt(new Homes(Process::get().hostMemory(), std::move(memories)));
}

/// The memory of the first device that has shared memory of its own; null if there is none.
DeviceMemory* sharingMemoryOf(const std::vector<Ref<Device>>& devices) {
  for (const Ref<Device>& device : devices)
    if (DeviceMemory* memory = device->memory(); memory && memory->canShare()) return memory;
  return nullptr;
}

} // namespace

Context::Context(std::vector<Ref<Device>> devices, std::vector<cl_context_properties> properties, ErrorCallback onError,
                 void* userData)
    : devices_(std::move(devices)), homes_(homesOf(devices_)),
      sharedMemory_(Process::get().hostMemory(), sharingMemoryOf(devices_),
                    homes_->count() > 1 && !sharingMemoryOf(devices_)),
      properties_(std::move(properties)), initializedMemory_(property(properties_, CL_CONTEXT_MEMORY_INITIALIZE_KHR)),
      onError_(onError), userData_(userData) {
  for (const Ref<Device>& device : devices_) {
    commonSvm_ &= device->properties().svmCapabilities;
    anySvm_ |= device->properties().svmCapabilities;
  }
}

Context::~Context() = default;

bool Context::has(const Device& device) const {
  return std::any_of(devices_.begin(), devices_.end(), [&](const Ref<Device>& own) { return own.get() == &device; });
}

void Context::report(std::string message, LogLevel level) noexcept {
  if (logEnabled(LogArea::Runtime, level)) logLine(LogArea::Runtime, level, "%s", message.c_str());
  if (!onError_) return;
  try {
    // The callback thread keeps order, so that this call comes before any destructor callback of the context.
    Process::get().callbacks().post([function = onError_, userData = userData_, text = std::move(message)] {
      function(text.c_str(), nullptr, 0, userData);
    });
  } catch (const std::bad_alloc&) {
    CLOTHO_LOG(Runtime, Error, "no memory to tell the context's callback");
  }
}

void Context::add(Queue& queue) {
  MutexLock lock(mutex_);
  queues_.push_back(&queue);
}

void Context::remove(Queue& queue) noexcept {
  MutexLock lock(mutex_);
  queues_.erase(std::find(queues_.begin(), queues_.end(), &queue));
}

void Context::finish() {
  std::vector<Ref<Queue>> queues;
  {
    MutexLock lock(mutex_);
    // A failure below would release a queue here, which takes the lock.
    queues.reserve(queues_.size());
    for (Queue* queue : queues_)
      if (Ref<Queue> alive = Ref<Queue>::ifAlive(queue)) queues.push_back(std::move(alive));
  }
  for (const Ref<Queue>& queue : queues)
    queue->finish();
}

void Context::addDestructorCallback(DestructorCallback function, void* userData) {
  MutexLock lock(mutex_);
  destructorCallbacks_.emplace_back(function, userData);
  hasDestructorCallbacks_ = true;
}

void Context::destroy() noexcept {
  // No reference to the context is left, so the list needs no lock.
  auto end = [this]() NO_THREAD_SAFETY_ANALYSIS {
    // Last registered, first called (OpenCL 3.0, clSetContextDestructorCallback).
    for (auto entry = destructorCallbacks_.rbegin(); entry != destructorCallbacks_.rend(); ++entry)
      entry->first(static_cast<cl_context>(this), entry->second);
    Process::get().slab<Context>().destroy(this);
  };
  if (hasDestructorCallbacks_)
    Process::get().callbacks().post(end);
  else
    end();
}

} // namespace clotho
