// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "api/entry_points.hpp"
#include "base/error.hpp"
#include "base/info_sink.hpp"
#include "base/not_cancelled.hpp"
#include "runtime/process.hpp"

#include <array>
#include <span>
#include <string>
#include <variant>
#include <vector>

/// From what applications pass to what the runtime takes: handles become references, lists and sizes become values,
/// and whatever is illegal ends here as an Error.
namespace clotho::api {

/// The code for the exception that is being handled; logs it.
cl_int statusOfException(const char* function) noexcept;

/// The body of an entry point of which applications make millions of calls. It has no cancellation point: it neither
/// reads, writes nor sleeps, and what it may bring about that does so (the log, printf, unloading) is not cancelled.
template <class Body> cl_int callBriefly(Body&& body, const char* function = __builtin_FUNCTION()) noexcept {
  try {
    body();
    return CL_SUCCESS;
  } catch (...) {
    return statusOfException(function);
  }
}

/// The body of an entry point that returns a status.
template <class Body> cl_int call(Body&& body, const char* function = __builtin_FUNCTION()) noexcept {
  NotCancelled here;
  return callBriefly(static_cast<Body&&>(body), function);
}

/// The body of an entry point that returns an object (or a mapped pointer) and its status through a pointer.
template <class Body>
auto create(cl_int* status, Body&& body, const char* function = __builtin_FUNCTION()) noexcept -> decltype(body()) {
  NotCancelled here;
  try {
    auto result = body();
    if (status) *status = CL_SUCCESS;
    return result;
  } catch (...) {
    cl_int code = statusOfException(function);
    if (status) *status = code;
    return nullptr;
  }
}

Platform& object(cl_platform_id raw);
/// The platform that a query names. Null is the implementation's to define (sections 4.1 and 4.2): the only platform,
/// as ICD loaders have it.
Platform& platformOrDefault(cl_platform_id raw);

/// Objects by their handles; throws the kind's error. An object is found while it is alive, even if only commands keep
/// it. The reference keeps it for the call, in which another thread may release the application's last one.
[[nodiscard]] Ref<Device> object(cl_device_id raw);
[[nodiscard]] Ref<Context> object(cl_context raw);
[[nodiscard]] Ref<Queue> object(cl_command_queue raw); ///< of the host
[[nodiscard]] Ref<MemoryObject> object(cl_mem raw);
[[nodiscard]] Ref<Sampler> object(cl_sampler raw);
[[nodiscard]] Ref<Semaphore> object(cl_semaphore_khr raw);
[[nodiscard]] Ref<Program> object(cl_program raw);
[[nodiscard]] Ref<Kernel> object(cl_kernel raw);
[[nodiscard]] Ref<Event> object(cl_event raw);
[[nodiscard]] Ref<CommandBuffer> object(cl_command_buffer_khr raw);
[[nodiscard]] Ref<MutableCommand> object(cl_mutable_command_khr raw);

/// The queue on a device that has this handle; throws what the caller says of others, those of the host among them.
[[nodiscard]] Ref<DeviceCommandQueue> deviceQueue(cl_command_queue raw, const Error& error);
/// A queue of either kind, for what applications may do with both: references and queries.
using AnyQueue = std::variant<Ref<Queue>, Ref<DeviceCommandQueue>>;
[[nodiscard]] AnyQueue anyQueue(cl_command_queue raw);

/// Throws the kind's error where `object` would.
template <class Handle> void checkHandle(Handle raw) { static_cast<void>(object(raw)); }

/// The application's references: clRetain* and clRelease*.
void retain(cl_device_id raw);
void retain(cl_context raw);
void retain(cl_command_queue raw);
void retain(cl_mem raw);
void retain(cl_sampler raw);
void retain(cl_semaphore_khr raw);
void retain(cl_program raw);
void retain(cl_kernel raw);
void retain(cl_event raw);
void retain(cl_command_buffer_khr raw);
void release(cl_device_id raw);
void release(cl_context raw);
void release(cl_command_queue raw);
void release(cl_mem raw);
void release(cl_sampler raw);
void release(cl_semaphore_khr raw);
void release(cl_program raw);
void release(cl_kernel raw);
void release(cl_event raw);
void release(cl_command_buffer_khr raw);

/// A wait list that has been checked. Keeps its events.
class Waits {
 public:
  Waits(const Context& context, cl_uint count, const cl_event* list);
  /// The list of clWaitForEvents: all events must be of the first one's context.
  Waits(cl_uint count, const cl_event* list);
  ~Waits();
  Waits(const Waits&) = delete;
  Waits& operator=(const Waits&) = delete;
  operator WaitList() const { return {many_.empty() ? few_.data() : many_.data(), count_}; }

 private:
  Waits() = default; // the others go on from it, so that what they have kept is released when they throw
  void keep(cl_uint count, const cl_event* list, const Error& error);
  void checkContext(const Context& context) const;

  std::size_t count_ = 0;
  std::array<Event*, 8> few_;
  std::vector<Event*> many_;
};

/// The devices that a list names, each once.
std::vector<Ref<Device>> devicesIn(std::span<const cl_device_id> list);
/// The devices that a list names, all of which must be among `all`; `all` of them if there is no list (OpenCL 3.0,
/// sections 5.8.2 to 5.8.5).
std::vector<Ref<Device>> devicesOf(const std::vector<Ref<Device>>& all, cl_uint count, const cl_device_id* list);

/// Whether OpenCL 3.0's rules hold where the versions differ, or those of 2.2 (CLOTHO_OPENCL_VERSION).
inline bool follows30() { return Process::get().platform().version() >= CL_MAKE_VERSION(3, 0, 0); }

/// Whether OpenCL 3.1's do.
inline bool follows31() { return Process::get().platform().version() >= CL_MAKE_VERSION(3, 1, 0); }

/// For queries that 2.2 does not know.
inline void checkFollows30() { check(follows30(), CL_INVALID_VALUE, "a query of OpenCL 3.0"); }

/// The platform's devices of the types in `type`, at least one; ALL and DEFAULT never mean custom ones (section 4.2).
std::vector<cl_device_id> devicesOfType(const Platform& platform, cl_device_type type);

/// Whether one device of the context at least, or each, claims a row of the table of claims (claims::rowOf).
bool anyClaims(const Context& context, std::size_t row);
bool allClaim(const Context& context, std::size_t row);

/// Hands the event of an enqueued command to the application if it asked for it.
inline void give(Ref<Event> event, cl_event* out) {
  if (out) *out = handOut(std::move(event));
}

/// Waits for the command if the call is `blocking`, then hands out its event as `give` does. If it has failed by then,
/// its status is thrown and there is no event.
void finish(Ref<Event> event, cl_bool blocking, cl_event* out);

/// A property list copied with its terminator; empty when there was none.
template <class T> std::vector<T> propertyList(const T* properties) {
  std::vector<T> list;
  if (!properties) return list;
  for (const T* p = properties; *p; p += 2)
    list.insert(list.end(), {p[0], p[1]});
  list.push_back(0);
  return list;
}

/// How many entries fit, for the calls that fill an array with at most `entries` handles and tell the full number.
template <class T, class Range> void giveList(const Range& range, cl_uint entries, T* list, cl_uint* total) {
  cl_uint index = 0;
  for (const auto& item : range) {
    if (list && index < entries) list[index] = static_cast<T>(item);
    ++index;
  }
  if (total) *total = index;
}

} // namespace clotho::api
