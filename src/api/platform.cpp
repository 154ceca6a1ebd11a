// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/command_buffer.hpp"
#include "api/external_handles.hpp"
#include "api/parse.hpp"
#include "api/svm_types.hpp"
#include "base/claims.hpp"

#include <ctime>
#include <optional>
#include <string_view>

namespace clotho::api {

namespace {

/// The row of the extension that a query came with, for extensions that some devices do not claim.
std::optional<std::size_t> extensionOf(cl_platform_info name) {
  using claims::rowOf;
  switch (name) {
  case CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR: return rowOf("cl_khr_unified_svm");
  case CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR: return rowOf("cl_khr_command_buffer");
  case CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR: return rowOf("cl_khr_external_memory");
  case CL_PLATFORM_SEMAPHORE_TYPES_KHR: return rowOf("cl_khr_semaphore");
  case CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR:
  case CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR: return rowOf("cl_khr_external_semaphore");
  default: return {};
  }
}

} // namespace

cl_int CL_API_CALL clGetPlatformIDs(cl_uint entries, cl_platform_id* platforms, cl_uint* count) {
  return call([&] {
    check(platforms || count, CL_INVALID_VALUE, "nowhere to put the answer");
    check(!platforms || entries > 0, CL_INVALID_VALUE, "a list without entries");
    giveList(std::array{&Process::get().platform()}, entries, platforms, count);
  });
}

cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id rawPlatform, cl_platform_info name, size_t size, void* value,
                                     size_t* sizeReturned) {
  return call([&] {
    Platform& platform = platformOrDefault(rawPlatform);
    InfoSink out(size, value, sizeReturned);
    if (const std::optional<std::size_t> extension = extensionOf(name))
      check(platform.claims().has(*extension), CL_INVALID_VALUE, "a query of an extension that not all devices have");
    switch (name) {
    case CL_PLATFORM_PROFILE: return out.text(claims::kProfile);
    case CL_PLATFORM_VERSION: return out.text(platform.versionText());
    case CL_PLATFORM_NAME: return out.text(claims::kPlatformName);
    case CL_PLATFORM_VENDOR: return out.text(claims::kPlatformVendor);
    case CL_PLATFORM_EXTENSIONS: return out.text(platform.claims().ofHost().extensions());
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
      return out.list<cl_name_version>(platform.claims().ofHost().extensionVersions());
    case CL_PLATFORM_NUMERIC_VERSION: return out.put<cl_version>(platform.version());
    case CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR:
      return out.list<cl_svm_capabilities_khr>(commonSvmTypes(platform.devices()));
    case CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR:
      return out.put<cl_platform_command_buffer_capabilities_khr>(kPlatformCommandBuffers);
    case CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR:
      return out.list<cl_external_memory_handle_type_khr>(kImportableMemory);
    case CL_PLATFORM_SEMAPHORE_TYPES_KHR: return out.list<cl_semaphore_type_khr>(kSemaphoreTypes);
    case CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR:
      return out.list<cl_external_semaphore_handle_type_khr>(kImportableSemaphores);
    case CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR:
      return out.list<cl_external_semaphore_handle_type_khr>(kExportableSemaphores);
    case CL_PLATFORM_ICD_SUFFIX_KHR: return out.text(claims::kIcdSuffix);
    case CL_PLATFORM_HOST_TIMER_RESOLUTION: {
      timespec resolution{};
      clock_getres(CLOCK_MONOTONIC, &resolution);
      return out.put<cl_ulong>(std::max<cl_ulong>(static_cast<cl_ulong>(resolution.tv_nsec), 1));
    }
    default: throw Error{CL_INVALID_VALUE, "unknown cl_platform_info"};
    }
  });
}

cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id rawPlatform) {
  return call([&] { object(rawPlatform); });
}

// A hint (section 5.8.8). The compiler is a process that ends by itself, so there is nothing to free here.
cl_int CL_API_CALL clUnloadCompiler() { return CL_SUCCESS; }

void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  using namespace std::string_view_literals;
  // Core functions are found by the loader in the dispatch table (section 9.2 of the extension specification).
  if (!name) return nullptr;
  if (name == "clIcdGetPlatformIDsKHR"sv) return reinterpret_cast<void*>(&::clIcdGetPlatformIDsKHR);
  // This function is of an extension, though the dispatch table has a slot for it.
  if (name == "clGetKernelSubGroupInfoKHR"sv) return reinterpret_cast<void*>(&clGetKernelSubGroupInfoKHR);
  // These are of the core, but most loaders have no function of that name yet.
  if (follows31() && name == "clGetKernelSuggestedLocalWorkSize"sv)
    return reinterpret_cast<void*>(&clGetKernelSuggestedLocalWorkSize);
#define EXTENSION_ENTRY(function)                                                                                      \
  if (name == #function##sv) return reinterpret_cast<void*>(&function);
#include "api/entry_points.def"
  return nullptr;
}

void* CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id rawPlatform, const char* name) {
  // No status to return, but the first call may find that there is no memory.
  return create(nullptr, [&] {
    object(rawPlatform);
    return clGetExtensionFunctionAddress(name);
  });
}

} // namespace clotho::api
