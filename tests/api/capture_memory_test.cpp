// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images and shared memory in captured launches (CLOTHO_CAPTURE=FOLDER:launch=1-).
#include "captures.hpp"
#include "images.hpp"
#include "svm.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace clotho::test {
namespace {

using capture::MemoryKind;

// --- Images ---

class CaptureImageTest : public ImageApi {
 protected:
  static void SetUpTestSuite() {
    removeOldFiles();
    Api::SetUpTestSuite();
  }
};

TEST_F(CaptureImageTest, EachTypeAndSamplers) {
  struct Case {
    const char* name;
    const char* type;
    const char* place;
    ImageSpec spec;
  };
  Owned<cl_mem> texelBuffer = makeBuffer(64 * 4), rowBuffer = makeBuffer(8 * 256);
  const cl_image_format rgba{CL_RGBA, CL_UNORM_INT8}, floats{CL_R, CL_FLOAT}, srgba{CL_sRGBA, CL_UNORM_INT8};
  Owned<cl_mem> wholeImage = makeImage({CL_MEM_OBJECT_IMAGE2D, rgba, {33, 5, 1}});
  const Case cases[] = {
      {"image_1d", "image1d_t", "i", {CL_MEM_OBJECT_IMAGE1D, rgba, {40, 1, 1}}},
      {"image_1d_buffer",
       "image1d_buffer_t",
       "i",
       {CL_MEM_OBJECT_IMAGE1D_BUFFER, rgba, {64, 1, 1}, 0, 0, 0, texelBuffer}},
      {"image_1d_array", "image1d_array_t", "(int2)(i, 1)", {CL_MEM_OBJECT_IMAGE1D_ARRAY, rgba, {40, 3, 1}}},
      {"image_2d", "image2d_t", "(int2)(i, 1)", {CL_MEM_OBJECT_IMAGE2D, floats, {33, 5, 1}}},
      {"image_2d_of_buffer",
       "image2d_t",
       "(int2)(i, 1)",
       {CL_MEM_OBJECT_IMAGE2D, rgba, {60, 8, 1}, 256, 0, 0, rowBuffer}},
      {"image_2d_of_image",
       "image2d_t",
       "(int2)(i, 1)",
       {CL_MEM_OBJECT_IMAGE2D, srgba, {33, 5, 1}, 0, 0, 0, wholeImage}},
      {"image_2d_array", "image2d_array_t", "(int4)(i, 1, 2, 0)", {CL_MEM_OBJECT_IMAGE2D_ARRAY, rgba, {33, 5, 3}}},
      {"image_3d", "image3d_t", "(int4)(i, 1, 2, 0)", {CL_MEM_OBJECT_IMAGE3D, rgba, {33, 5, 3}}},
      {"image_mipmap", "image2d_t", "(int2)(i, 1)", {CL_MEM_OBJECT_IMAGE2D, rgba, {32, 8, 1}, 0, 0, 3}},
  };
  cl_int status = CL_SUCCESS;
  Owned<cl_sampler> sampler = clCreateSampler(context_, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    const bool hasSampler = each.spec.type != CL_MEM_OBJECT_IMAGE1D_BUFFER;
    const std::string source = std::string("kernel void ") + each.name + "(read_only " + each.type +
                               " in, global float4* out" + (hasSampler ? ", sampler_t s" : "") +
                               ") { int i = get_global_id(0); out[i] = read_imagef(in, " + (hasSampler ? "s, " : "") +
                               each.place + "); }";
    Owned<cl_kernel> kernel = makeKernel(source.c_str(), each.name, "-cl-std=CL3.0");
    Owned<cl_mem> image = makeImage(each.spec), out = makeBuffer(64 * 4 * sizeof(cl_float));
    std::size_t bytes = 0;
    for (cl_uint level = 0; level < std::max(each.spec.levels, 1U); ++level) {
      const auto texels = pattern(volume(extentOf(each.spec, level)) * texelSize(each.spec.format), level + 1);
      setTexels(image, each.spec, texels, level);
      bytes += texels.size();
    }
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), one(image).data()), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof(cl_mem), one(out).data()), CL_SUCCESS);
    if (hasSampler) EXPECT_EQ(clSetKernelArg(kernel, 2, sizeof(cl_sampler), one(sampler).data()), CL_SUCCESS);
    const size_t items = 32;
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
    CAPTURE_OF(contents, each.name);
    const auto& argument = contents->description.arguments.at(0);
    const capture::Memory& memory = contents->description.memories.at(argument.number);
    EXPECT_EQ(memory.kind, MemoryKind::Image);
    EXPECT_EQ(memory.shape.type, each.spec.type);
    EXPECT_EQ(memory.parent != capture::kNone, each.spec.memory != nullptr);
    EXPECT_EQ(memory.stored, each.spec.memory ? 0 : bytes);
  }
}

TEST_F(CaptureImageTest, WrittenImages) {
  Owned<cl_kernel> kernel =
      makeKernel("kernel void writes_image(write_only image2d_t out, read_write image2d_t both) { int2 p = "
                 "(int2)(get_global_id(0), 2);"
                 " write_imagef(out, p, (float4)(0.5f)); write_imagef(both, p, read_imagef(both, p) + 1); }",
                 "writes_image", "-cl-std=CL3.0");
  const ImageSpec spec{CL_MEM_OBJECT_IMAGE2D, {CL_RGBA, CL_FLOAT}, {19, 4, 1}};
  Owned<cl_mem> out = makeImage(spec), both = makeImage(spec);
  setTexels(both, spec, std::vector<std::byte>(19 * 4 * 16));
  setTexels(out, spec, std::vector<std::byte>(19 * 4 * 16));
  EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), one(out).data()), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof(cl_mem), one(both).data()), CL_SUCCESS);
  const size_t items = 19;
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  CAPTURE_OF(contents, "writes_image");
  EXPECT_EQ(numbers<cl_float>(contents->outputs.at(1)).at(2 * 19 * 4), 1.0F);
}

// --- Shared memory ---

class CaptureSvmTest : public SharedApi {
 protected:
  static void SetUpTestSuite() {
    removeOldFiles();
    Api::SetUpTestSuite();
  }
};

/// A list in shared memory: its first element is the argument, the others are reached by pointers alone.
TEST_F(CaptureSvmTest, PointersInSharedMemory) {
  struct Node {
    Node* next;
    cl_int value, sum;
  };
  Owned<cl_kernel> kernel = makeKernel(R"(
    typedef struct Node { global struct Node* next; int value, sum; } Node;
    kernel void follows(global Node* first) {
      int sum = 0;
      for (global Node* each = first; each; each = each->next) { sum += each->value; each->sum = sum; }
    })",
                                       "follows", "-cl-std=CL2.0");
  auto a = allocate<Node>(4), b = allocate<Node>(1), c = allocate<Node>(1);
  for (auto* each : {&a, &b, &c})
    map(each->get(), sizeof(Node));
  a[1] = {&b[0], 1, 0};
  b[0] = {&c[0], 10, 0};
  c[0] = {nullptr, 100, 0};
  for (auto* each : {&a, &b, &c})
    unmap(each->get());
  EXPECT_EQ(clSetKernelArgSVMPointer(kernel, 0, &a[1]), CL_SUCCESS);
  void* others[] = {b.get(), c.get()};
  EXPECT_EQ(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof others, others), CL_SUCCESS);
  launch(kernel, 1);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  CAPTURE_OF(contents, "follows");
  const auto& shared = contents->description.shared;
  ASSERT_EQ(shared.size(), 3u);
  EXPECT_EQ(contents->description.arguments.at(0).number, reinterpret_cast<std::uintptr_t>(&a[1]));
  for (std::size_t i = 0; i < shared.size(); ++i)
    if (shared[i].address == reinterpret_cast<std::uintptr_t>(c.get()))
      EXPECT_EQ(reinterpret_cast<const Node*>(contents->outputs.at(i).data())->sum, 111);
}

TEST_F(CaptureSvmTest, BuffersOfSharedMemory) {
  Owned<cl_kernel> kernel = makeKernel(
      "kernel void alias(global int* a, global int* b) { a[get_global_id(0)] = 3; b[8 + get_global_id(0)] = 4; }",
      "alias", "-cl-std=CL2.0");
  auto memory = allocate<cl_int>(16);
  map(memory.get(), 64);
  std::fill_n(memory.get(), 16, 1);
  unmap(memory.get());
  Owned<cl_mem> buffer = makeBuffer(64, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, memory.get());
  EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), one(buffer).data()), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArgSVMPointer(kernel, 1, memory.get()), CL_SUCCESS);
  launch(kernel, 8);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  CAPTURE_OF(contents, "alias");
  EXPECT_TRUE(contents->description.memories.at(0).isShared);
  ASSERT_EQ(contents->description.shared.size(), 1u);
  const auto values = numbers<cl_int>(contents->outputs.at(1));
  EXPECT_EQ(values.at(0), 3);
  EXPECT_EQ(values.at(15), 4);
}

} // namespace
} // namespace clotho::test
