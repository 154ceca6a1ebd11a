// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is not there yet gives the error that the specification names, not a crash.
#include "fixture.hpp"

#include <CL/cl_icd.h>

namespace clotho::test {

namespace {

using UnsupportedTest = Api;

TEST_F(UnsupportedTest, NoSlotOfTheDispatchTableIsEmpty) {
  const cl_icd_dispatch* table = *reinterpret_cast<const cl_icd_dispatch* const*>(platform_);
  const auto* slots = reinterpret_cast<void* const*>(table);
  // And slots beyond the table that newer loaders may look into.
  for (size_t i = 0; i < sizeof *table / sizeof(void*) + 32; ++i)
    EXPECT_NE(slots[i], nullptr) << "slot " << i;
  auto beyond = reinterpret_cast<cl_int (*)()>(slots[sizeof *table / sizeof(void*) + 5]);
  EXPECT_EQ(beyond(), CL_INVALID_OPERATION);
}

TEST_F(UnsupportedTest, BuiltInKernelsAndCleanUpKernels) {
  cl_int status = 1;
  EXPECT_EQ(clCreateProgramWithBuiltInKernels(context_, 1, &device_, "anything", &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateProgramWithBuiltInKernels(context_, 0, nullptr, "anything", &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateProgramWithBuiltInKernels(context_, 1, &device_, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  Owned<cl_program> program = buildProgram("kernel void k() {}");
  EXPECT_EQ(clSetProgramReleaseCallback(program, [](cl_program, void*) {}, nullptr), CL_INVALID_OPERATION);
}

TEST_F(UnsupportedTest, OpenGlAndEgl) {
  const cl_icd_dispatch& table = **reinterpret_cast<const cl_icd_dispatch* const*>(platform_);
  cl_int status = 1;
  EXPECT_EQ(table.clCreateFromGLBuffer(context_, 0, 1, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
  EXPECT_EQ(table.clCreateFromGLTexture(context_, 0, 0, 0, 1, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
  EXPECT_EQ(table.clCreateFromGLTexture2D(context_, 0, 0, 0, 1, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
  EXPECT_EQ(table.clCreateFromGLTexture3D(context_, 0, 0, 0, 1, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
  EXPECT_EQ(table.clCreateFromGLRenderbuffer(context_, 0, 1, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
  EXPECT_EQ(table.clCreateEventFromGLsyncKHR(context_, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
  EXPECT_EQ(table.clCreateFromEGLImageKHR(context_, nullptr, nullptr, 0, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_OPERATION);
  EXPECT_EQ(table.clCreateEventFromEGLSyncKHR(context_, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_EGL_OBJECT_KHR);
  Owned<cl_mem> buffer = makeBuffer(64);
  cl_mem list[] = {buffer};
  EXPECT_EQ(table.clGetGLObjectInfo(buffer, nullptr, nullptr), CL_INVALID_GL_OBJECT);
  EXPECT_EQ(table.clGetGLTextureInfo(buffer, 0, 0, nullptr, nullptr), CL_INVALID_GL_OBJECT);
  EXPECT_EQ(table.clEnqueueAcquireGLObjects(queue_, 1, list, 0, nullptr, nullptr), CL_INVALID_CONTEXT);
  EXPECT_EQ(table.clEnqueueReleaseGLObjects(queue_, 1, list, 0, nullptr, nullptr), CL_INVALID_CONTEXT);
  EXPECT_EQ(table.clEnqueueAcquireEGLObjectsKHR(queue_, 1, list, 0, nullptr, nullptr), CL_INVALID_EGL_OBJECT_KHR);
  EXPECT_EQ(table.clEnqueueReleaseEGLObjectsKHR(queue_, 1, list, 0, nullptr, nullptr), CL_INVALID_EGL_OBJECT_KHR);
  EXPECT_EQ(table.clCreateSubDevicesEXT(device_, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(table.clRetainDeviceEXT(device_), CL_SUCCESS);
  EXPECT_EQ(table.clReleaseDeviceEXT(device_), CL_SUCCESS);
}

} // namespace

} // namespace clotho::test
