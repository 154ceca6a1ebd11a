// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What no device of Clotho's has yet: each function checks what it can and returns the error that OpenCL 3.0 names for
// a device without the feature.
#include "api/parse.hpp"

namespace clotho::api {

namespace {

/// The status for a call whose first argument is valid, or that argument's error.
template <class Handle>
cl_int refuse(Handle raw, cl_int code, const char* why, const char* function = __builtin_FUNCTION()) noexcept {
  return call(
      [&] {
        checkHandle(raw);
        throw Error{code, why};
      },
      function);
}

/// Overload for calls that create a memory object or a program: returns null and stores the status.
template <class Result, class Handle>
Result* refuse(Handle raw, cl_int code, const char* why, cl_int* status,
               const char* function = __builtin_FUNCTION()) noexcept {
  return create(
      status,
      [&]() -> Result* {
        checkHandle(raw);
        throw Error{code, why};
      },
      function);
}

} // namespace

// cl_ext_device_fission

cl_int CL_API_CALL clCreateSubDevicesEXT(cl_device_id rawDevice, const cl_device_partition_property_ext*, cl_uint,
                                         cl_device_id*, cl_uint*) {
  return refuse(rawDevice, CL_INVALID_VALUE, "the device cannot be partitioned");
}

cl_int CL_API_CALL clRetainDeviceEXT(cl_device_id rawDevice) { return api::clRetainDevice(rawDevice); }
cl_int CL_API_CALL clReleaseDeviceEXT(cl_device_id rawDevice) { return api::clReleaseDevice(rawDevice); }

// OpenGL: no context is made from one of OpenGL's

cl_mem CL_API_CALL clCreateFromGLBuffer(cl_context rawContext, cl_mem_flags, cl_GLuint, cl_int* status) {
  return refuse<_cl_mem>(rawContext, CL_INVALID_CONTEXT, "not made from an OpenGL context", status);
}

cl_mem CL_API_CALL clCreateFromGLTexture(cl_context rawContext, cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint,
                                         cl_int* status) {
  return refuse<_cl_mem>(rawContext, CL_INVALID_CONTEXT, "not made from an OpenGL context", status);
}

cl_mem CL_API_CALL clCreateFromGLTexture2D(cl_context rawContext, cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint,
                                           cl_int* status) {
  return refuse<_cl_mem>(rawContext, CL_INVALID_CONTEXT, "not made from an OpenGL context", status);
}

cl_mem CL_API_CALL clCreateFromGLTexture3D(cl_context rawContext, cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint,
                                           cl_int* status) {
  return refuse<_cl_mem>(rawContext, CL_INVALID_CONTEXT, "not made from an OpenGL context", status);
}

cl_mem CL_API_CALL clCreateFromGLRenderbuffer(cl_context rawContext, cl_mem_flags, cl_GLuint, cl_int* status) {
  return refuse<_cl_mem>(rawContext, CL_INVALID_CONTEXT, "not made from an OpenGL context", status);
}

cl_int CL_API_CALL clGetGLObjectInfo(cl_mem rawMemory, cl_gl_object_type*, cl_GLuint*) {
  return refuse(rawMemory, CL_INVALID_GL_OBJECT, "not made from an OpenGL object");
}

cl_int CL_API_CALL clGetGLTextureInfo(cl_mem rawMemory, cl_gl_texture_info, size_t, void*, size_t*) {
  return refuse(rawMemory, CL_INVALID_GL_OBJECT, "not made from an OpenGL texture");
}

cl_int CL_API_CALL clEnqueueAcquireGLObjects(cl_command_queue rawQueue, cl_uint, const cl_mem*, cl_uint,
                                             const cl_event*, cl_event*) {
  return refuse(rawQueue, CL_INVALID_CONTEXT, "not made from an OpenGL context");
}

cl_int CL_API_CALL clEnqueueReleaseGLObjects(cl_command_queue rawQueue, cl_uint, const cl_mem*, cl_uint,
                                             const cl_event*, cl_event*) {
  return refuse(rawQueue, CL_INVALID_CONTEXT, "not made from an OpenGL context");
}

cl_int CL_API_CALL clGetGLContextInfoKHR(const cl_context_properties*, cl_gl_context_info, size_t, void*, size_t*) {
  return CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR;
}

cl_event CL_API_CALL clCreateEventFromGLsyncKHR(cl_context rawContext, cl_GLsync, cl_int* status) {
  return refuse<_cl_event>(rawContext, CL_INVALID_CONTEXT, "not made from an OpenGL context", status);
}

// EGL

cl_mem CL_API_CALL clCreateFromEGLImageKHR(cl_context rawContext, CLeglDisplayKHR, CLeglImageKHR, cl_mem_flags,
                                           const cl_egl_image_properties_khr*, cl_int* status) {
  return refuse<_cl_mem>(rawContext, CL_INVALID_OPERATION, "no device supports EGL images", status);
}

cl_int CL_API_CALL clEnqueueAcquireEGLObjectsKHR(cl_command_queue rawQueue, cl_uint, const cl_mem*, cl_uint,
                                                 const cl_event*, cl_event*) {
  return refuse(rawQueue, CL_INVALID_EGL_OBJECT_KHR, "not made from EGL objects");
}

cl_int CL_API_CALL clEnqueueReleaseEGLObjectsKHR(cl_command_queue rawQueue, cl_uint, const cl_mem*, cl_uint,
                                                 const cl_event*, cl_event*) {
  return refuse(rawQueue, CL_INVALID_EGL_OBJECT_KHR, "not made from EGL objects");
}

cl_event CL_API_CALL clCreateEventFromEGLSyncKHR(cl_context rawContext, CLeglSyncKHR, CLeglDisplayKHR, cl_int* status) {
  return refuse<_cl_event>(rawContext, CL_INVALID_EGL_OBJECT_KHR, "no device supports EGL syncs", status);
}

} // namespace clotho::api
