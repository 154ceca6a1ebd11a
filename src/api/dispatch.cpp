// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/entry_points.hpp"
#include "base/handles.hpp"

namespace clotho {

namespace {

cl_int CL_API_CALL unsupported() { return CL_INVALID_OPERATION; }

/// Direct3D and Media Surface sharing exist on another system only. Their signatures are not declared here, so these
/// have what matters of them: where the status goes when the result is a memory object.
cl_mem CL_API_CALL noBuffer(cl_context, cl_mem_flags, void*, cl_int* status) {
  if (status) *status = CL_INVALID_OPERATION;
  return nullptr;
}
cl_mem CL_API_CALL noTexture(cl_context, cl_mem_flags, void*, cl_uint, cl_int* status) {
  if (status) *status = CL_INVALID_OPERATION;
  return nullptr;
}
cl_mem CL_API_CALL noSurface(cl_context, cl_mem_flags, cl_uint, void*, cl_uint, cl_int* status) {
  if (status) *status = CL_INVALID_OPERATION;
  return nullptr;
}

constexpr auto* clGetDeviceIDsFromD3D10KHR = &unsupported;
constexpr auto* clCreateFromD3D10BufferKHR = &noBuffer;
constexpr auto* clCreateFromD3D10Texture2DKHR = &noTexture;
constexpr auto* clCreateFromD3D10Texture3DKHR = &noTexture;
constexpr auto* clEnqueueAcquireD3D10ObjectsKHR = &unsupported;
constexpr auto* clEnqueueReleaseD3D10ObjectsKHR = &unsupported;
constexpr auto* clGetDeviceIDsFromD3D11KHR = &unsupported;
constexpr auto* clCreateFromD3D11BufferKHR = &noBuffer;
constexpr auto* clCreateFromD3D11Texture2DKHR = &noTexture;
constexpr auto* clCreateFromD3D11Texture3DKHR = &noTexture;
constexpr auto* clCreateFromDX9MediaSurfaceKHR = &noSurface;
constexpr auto* clEnqueueAcquireD3D11ObjectsKHR = &unsupported;
constexpr auto* clEnqueueReleaseD3D11ObjectsKHR = &unsupported;
constexpr auto* clGetDeviceIDsFromDX9MediaAdapterKHR = &unsupported;
constexpr auto* clEnqueueAcquireDX9MediaSurfacesKHR = &unsupported;
constexpr auto* clEnqueueReleaseDX9MediaSurfacesKHR = &unsupported;

using Slot = cl_int(CL_API_CALL*)();
constexpr int kSpareSlots = 64;

constexpr std::size_t kSlotsOf30 =
#define ENTRY(name) 1 +
#include "api/entry_points.def"
    0;
static_assert(sizeof(cl_icd_dispatch) == kSlotsOf30 * sizeof(void*),
              "headers whose table has the slots of OpenCL 3.1: its NEWER_ENTRY is an ENTRY then");

/// Longer than the table of any loader of today: one that knows more functions finds an error there, not the memory
/// that happens to come next.
struct PaddedDispatch {
  cl_icd_dispatch known;
  decltype(&api::clGetKernelSuggestedLocalWorkSize) suggestedLocalWorkSize; // OpenCL 3.1
  Slot spare[kSpareSlots];
};

#define CLOTHO_FOUR(x) x, x, x, x
#define CLOTHO_SIXTEEN(x) CLOTHO_FOUR(x), CLOTHO_FOUR(x), CLOTHO_FOUR(x), CLOTHO_FOUR(x)

const PaddedDispatch kTable = {{
#define ENTRY(name) &api::name,
#define OPAQUE_ENTRY(name) reinterpret_cast<void*>(name),
#include "api/entry_points.def"
                               },
#define NEWER_ENTRY(name) &api::name,
#include "api/entry_points.def"
                               {CLOTHO_SIXTEEN(&unsupported), CLOTHO_SIXTEEN(&unsupported),
                                CLOTHO_SIXTEEN(&unsupported), CLOTHO_SIXTEEN(&unsupported)}};

} // namespace

const cl_icd_dispatch* const kDispatch = &kTable.known;

} // namespace clotho

// The first function that loaders ask for (cl_khr_icd).
extern "C" __attribute__((visibility("default"))) cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint entries,
                                                                                            cl_platform_id* platforms,
                                                                                            cl_uint* count) {
  return clotho::api::clGetPlatformIDs(entries, platforms, count);
}
