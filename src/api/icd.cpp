// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the driver exports beside clIcdGetPlatformIDsKHR: what loaders look up by name (cl_khr_icd).
#include "api/entry_points.hpp"

#define CLOTHO_EXPORT extern "C" __attribute__((visibility("default")))

CLOTHO_EXPORT cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info name, size_t size,
                                                   void* value, size_t* sizeReturned) {
  return clotho::api::clGetPlatformInfo(platform, name, size, value, sizeReturned);
}

CLOTHO_EXPORT void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  return clotho::api::clGetExtensionFunctionAddress(name);
}

CLOTHO_EXPORT void* CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char* name) {
  return clotho::api::clGetExtensionFunctionAddressForPlatform(platform, name);
}
