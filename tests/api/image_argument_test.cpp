// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images and samplers as arguments of kernels (OpenCL 3.0, section 5.9.2): what an argument takes, what launches keep
// alive, and how images stand beside buffers.
#include "images.hpp"

namespace clotho::test {

namespace {

struct Argument {
  const char* type;
  cl_mem_object_type image;
  bool isDepth;
};

constexpr Argument kArguments[] = {
    {"image1d_t", CL_MEM_OBJECT_IMAGE1D, false},
    {"image1d_buffer_t", CL_MEM_OBJECT_IMAGE1D_BUFFER, false},
    {"image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY, false},
    {"image2d_t", CL_MEM_OBJECT_IMAGE2D, false},
    {"image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, false},
    {"image2d_depth_t", CL_MEM_OBJECT_IMAGE2D, true},
    {"image2d_array_depth_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, true},
    {"image3d_t", CL_MEM_OBJECT_IMAGE3D, false},
};

class ImageArgumentTest : public ImageApi {
 protected:
  static cl_int set(cl_kernel kernel, cl_uint index, cl_mem memory) {
    return clSetKernelArg(kernel, index, sizeof memory, &memory);
  }
  Owned<cl_kernel> kernelOf(cl_program program, const char* name) {
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program, name, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return kernel;
  }
  cl_int run(cl_kernel kernel, size_t items, cl_uint count = 0, const cl_event* waits = nullptr) {
    return clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, count, waits, nullptr);
  }
  std::vector<cl_uint> contents(cl_mem buffer, size_t count) {
    std::vector<cl_uint> seen(count);
    EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, count * 4, seen.data(), 0, nullptr, nullptr), CL_SUCCESS);
    return seen;
  }
  /// An image of one row that holds these numbers.
  Owned<cl_mem> numbers(std::vector<cl_uint> values, cl_mem_flags flags = CL_MEM_READ_WRITE) {
    return makeImage({CL_MEM_OBJECT_IMAGE2D, {CL_R, CL_UNSIGNED_INT32}, {values.size(), 1, 1}},
                     flags | CL_MEM_COPY_HOST_PTR, values.data());
  }
};

constexpr const char* kSource = R"(
  kernel void copy(read_only image2d_t in, global uint* out) {
    const int i = get_global_id(0);
    out[i] = read_imageui(in, (int2)(i, 0)).x;
  }
  kernel void both(global uint* a, read_only image2d_t in, global const uint* b, write_only image2d_t to,
                   global uint* c) {
    const int i = get_global_id(0);
    const uint value = read_imageui(in, (int2)(i, 0)).x;
    a[i] = value;
    c[i] = value + b[i];
    write_imageui(to, (int2)(i, 0), (uint4)(value + 1, 0, 0, 0));
  }
  kernel void twice(read_write image2d_t image) {
    const int2 at = (int2)(get_global_id(0), 0);
    write_imageui(image, at, read_imageui(image, at) * 2u);
  }
  kernel void sample(read_only image2d_t in, sampler_t sampler, global float* out) {
    out[get_global_id(0)] = read_imagef(in, sampler, (float2)(0.5f, 0.5f)).x;
  }
  kernel void write(write_only image2d_t to) { write_imageui(to, (int2)(get_global_id(0), 0), (uint4)(7)); }
  kernel void pointer(global uint* out) { *out = 1; }
)";

TEST_F(ImageArgumentTest, Types) {
  std::string source;
  for (const Argument& argument : kArguments)
    source += std::string("kernel void k_") + argument.type + "(read_only " + argument.type +
              " i, global int* out) { *out = get_image_width(i); }\n";
  source += "typedef image2d_t Plane; kernel void k_typedef(read_only Plane i, global int* out) { *out = 1; }\n";
  Owned<cl_program> program = buildProgram(source.c_str(), "-cl-std=CL3.0");
  Owned<cl_mem> buffer = makeBuffer(4096);
  Foreign<cl_mem> foreign(device_);
  for (const Argument& argument : kArguments) {
    Owned<cl_kernel> kernel = kernelOf(program, (std::string("k_") + argument.type).c_str());
    for (const Argument& given : kArguments) {
      ImageSpec spec{given.image, {given.isDepth ? cl_channel_order{CL_DEPTH} : cl_channel_order{CL_R}, CL_FLOAT}};
      spec.size = {8, dimensionsOf(given.image) > 1 ? 4U : 1U, dimensionsOf(given.image) > 2 ? 2U : 1U};
      if (given.image == CL_MEM_OBJECT_IMAGE1D_BUFFER) spec.memory = buffer;
      Owned<cl_mem> image = makeImage(spec);
      const bool fits = given.image == argument.image && given.isDepth == argument.isDepth;
      EXPECT_EQ(set(kernel, 0, image), fits ? CL_SUCCESS : CL_INVALID_MEM_OBJECT)
          << given.type << " for " << argument.type;
    }
    EXPECT_EQ(set(kernel, 0, buffer), CL_INVALID_MEM_OBJECT);
    EXPECT_EQ(set(kernel, 0, foreign), CL_INVALID_MEM_OBJECT);
    EXPECT_EQ(set(kernel, 0, nullptr), CL_INVALID_MEM_OBJECT);
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), nullptr), CL_INVALID_MEM_OBJECT);
    EXPECT_EQ(clSetKernelArg(kernel, 0, 4, nullptr), CL_INVALID_ARG_SIZE);
  }
  Owned<cl_kernel> kernel = kernelOf(program, "k_typedef");
  Owned<cl_mem> image = makeImage({});
  EXPECT_EQ(set(kernel, 0, image), CL_SUCCESS) << "whatever the type is called";
}

TEST_F(ImageArgumentTest, Access) {
  Owned<cl_program> program = buildProgram(kSource, "-cl-std=CL3.0");
  Owned<cl_kernel> reads = kernelOf(program, "copy"), writes = kernelOf(program, "write"),
                   both = kernelOf(program, "twice");
  std::vector<std::byte> host(4096);
  struct Case {
    cl_mem_flags flags;
    cl_int read, write, readWrite;
  };
  const Case cases[] = {
      {CL_MEM_READ_WRITE, CL_SUCCESS, CL_SUCCESS, CL_SUCCESS},
      {CL_MEM_READ_ONLY, CL_SUCCESS, CL_INVALID_ARG_VALUE, CL_INVALID_ARG_VALUE},
      {CL_MEM_WRITE_ONLY, CL_INVALID_ARG_VALUE, CL_SUCCESS, CL_INVALID_ARG_VALUE},
      {CL_MEM_IMMUTABLE_EXT, CL_SUCCESS, CL_INVALID_ARG_VALUE, CL_INVALID_ARG_VALUE},
  };
  for (const Case& each : cases) {
    Owned<cl_mem> image = makeImage({}, each.flags | CL_MEM_COPY_HOST_PTR, host.data());
    EXPECT_EQ(set(reads, 0, image), each.read);
    EXPECT_EQ(set(writes, 0, image), each.write);
    EXPECT_EQ(set(both, 0, image), each.readWrite);
    // A view has inherited its parent's flags.
    const cl_mem_flags own = each.flags & CL_MEM_IMMUTABLE_EXT;
    Owned<cl_mem> view = makeImage({.format = {CL_sRGBA, CL_UNORM_INT8}, .rowPitch = 64, .memory = image}, own);
    EXPECT_EQ(set(reads, 0, view), each.read);
    EXPECT_EQ(set(writes, 0, view), each.write);
  }
}

// Bytes that never change are not for arguments through which a kernel could change them.
TEST_F(ImageArgumentTest, ImmutableBuffers) {
  Owned<cl_program> program =
      buildProgram("kernel void each(global int* to, global const int* from, constant int* same,"
                   " const global int* restrict first, global volatile int* shared) {"
                   "  *to = *from + *same + *first + *shared;"
                   "}");
  Owned<cl_kernel> kernel = kernelOf(program, "each");
  std::vector<std::byte> host(64);
  Owned<cl_mem> buffer = makeBuffer(64, CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR, host.data()),
                readOnly = makeBuffer(64, CL_MEM_READ_ONLY);
  const cl_buffer_region region{0, 64};
  cl_int status = 1;
  Owned<cl_mem> part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  const bool mayWrite[] = {true, false, false, false, true};
  for (cl_uint i = 0; i < std::size(mayWrite); ++i) {
    EXPECT_EQ(set(kernel, i, buffer), mayWrite[i] ? CL_INVALID_ARG_VALUE : CL_SUCCESS) << i;
    EXPECT_EQ(set(kernel, i, part), mayWrite[i] ? CL_INVALID_ARG_VALUE : CL_SUCCESS) << i;
    EXPECT_EQ(set(kernel, i, readOnly), CL_SUCCESS) << "the flag is a promise of the application's";
  }
}

TEST_F(ImageArgumentTest, Contexts) {
  Owned<cl_program> program = buildProgram(kSource, "-cl-std=CL3.0");
  Owned<cl_kernel> kernel = kernelOf(program, "sample"), pointer = kernelOf(program, "pointer");
  Owned<cl_context> other = makeContext();
  const ImageSpec spec;
  const cl_image_desc desc = describe(spec);
  cl_int status = 1;
  Owned<cl_mem> image = clCreateImage(other, 0, &spec.format, &desc, nullptr, &status);
  EXPECT_EQ(set(kernel, 0, image), CL_INVALID_CONTEXT);
  Owned<cl_sampler> sampler = clCreateSamplerWithProperties(other, nullptr, &status);
  cl_sampler handle = sampler;
  EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof handle, &handle), CL_INVALID_CONTEXT);
  Owned<cl_mem> own = makeImage(spec);
  EXPECT_EQ(set(pointer, 0, own), CL_INVALID_MEM_OBJECT) << "an image is no buffer";
}

TEST_F(ImageArgumentTest, ImagesBesideBuffers) {
  Owned<cl_program> program = buildProgram(kSource, "-cl-std=CL3.0");
  Owned<cl_kernel> kernel = kernelOf(program, "both");
  std::vector<cl_uint> values = {3, 1, 4, 1, 5, 9, 2, 6}, added = {10, 20, 30, 40, 50, 60, 70, 80};
  Owned<cl_mem> in = numbers(values), to = numbers(std::vector<cl_uint>(8)), a = makeBuffer(32),
                b = makeBuffer(32, CL_MEM_COPY_HOST_PTR, added.data()), c = makeBuffer(32);
  ASSERT_EQ(set(kernel, 0, a), CL_SUCCESS);
  ASSERT_EQ(set(kernel, 1, in), CL_SUCCESS);
  ASSERT_EQ(set(kernel, 2, b), CL_SUCCESS);
  ASSERT_EQ(set(kernel, 3, to), CL_SUCCESS);
  ASSERT_EQ(set(kernel, 4, c), CL_SUCCESS);
  ASSERT_EQ(run(kernel, 8), CL_SUCCESS);
  EXPECT_EQ(contents(a, 8), values);
  std::vector<cl_uint> sums(8), next(8);
  for (size_t i = 0; i < 8; ++i) {
    sums[i] = values[i] + added[i];
    next[i] = values[i] + 1;
  }
  EXPECT_EQ(contents(c, 8), sums);
  const std::vector<std::byte> written = texels(to, {CL_MEM_OBJECT_IMAGE2D, {CL_R, CL_UNSIGNED_INT32}, {8, 1, 1}});
  EXPECT_EQ(std::memcmp(written.data(), next.data(), 32), 0);
}

TEST_F(ImageArgumentTest, LaunchesKeepImagesAlive) {
  Owned<cl_program> program = buildProgram(kSource, "-cl-std=CL3.0");
  Owned<cl_kernel> kernel = kernelOf(program, "copy");
  Owned<cl_mem> out = makeBuffer(16), second = makeBuffer(16);
  Owned<cl_event> gate = makeUserEvent();
  cl_event wait = gate;
  ASSERT_EQ(set(kernel, 1, out), CL_SUCCESS);
  {
    Owned<cl_mem> in = numbers({1, 2, 3, 4});
    ASSERT_EQ(set(kernel, 0, in), CL_SUCCESS);
    ASSERT_EQ(run(kernel, 4, 1, &wait), CL_SUCCESS);
    EXPECT_EQ(memoryInfo<cl_uint>(in, CL_MEM_REFERENCE_COUNT), 1u) << "neither kernel nor launch count for the query";
  }
  // Another image in its place, which is another launch's.
  Owned<cl_mem> other = numbers({5, 6, 7, 8});
  ASSERT_EQ(set(kernel, 0, other), CL_SUCCESS);
  ASSERT_EQ(set(kernel, 1, second), CL_SUCCESS);
  ASSERT_EQ(run(kernel, 4), CL_SUCCESS);
  other = {};
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(contents(out, 4), (std::vector<cl_uint>{1, 2, 3, 4}));
  EXPECT_EQ(contents(second, 4), (std::vector<cl_uint>{5, 6, 7, 8}));
  EXPECT_EQ(run(kernel, 4), CL_INVALID_MEM_OBJECT) << "the kernel itself keeps nothing";
}

TEST_F(ImageArgumentTest, SamplersMayBeReleased) {
  Owned<cl_program> program = buildProgram(kSource, "-cl-std=CL3.0");
  Owned<cl_kernel> kernel = kernelOf(program, "sample");
  cl_float value = 0.75F;
  Owned<cl_mem> in = makeImage({CL_MEM_OBJECT_IMAGE2D, {CL_R, CL_FLOAT}, {1, 1, 1}}, CL_MEM_COPY_HOST_PTR, &value);
  Owned<cl_mem> out = makeBuffer(4);
  ASSERT_EQ(set(kernel, 0, in), CL_SUCCESS);
  ASSERT_EQ(set(kernel, 2, out), CL_SUCCESS);
  EXPECT_EQ(run(kernel, 1), CL_INVALID_KERNEL_ARGS) << "no sampler";
  cl_sampler none = nullptr;
  EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof none, &none), CL_INVALID_SAMPLER);
  {
    cl_int status = 1;
    Owned<cl_sampler> sampler =
        clCreateSampler(context_, CL_TRUE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &status);
    cl_sampler handle = sampler;
    EXPECT_EQ(clSetKernelArg(kernel, 1, 4, &handle), CL_INVALID_ARG_SIZE);
    ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof handle, &handle), CL_SUCCESS);
    EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetSamplerInfo, sampler, CL_SAMPLER_REFERENCE_COUNT)), 1u);
  }
  ASSERT_EQ(run(kernel, 1), CL_SUCCESS);
  cl_float seen = 0;
  ASSERT_EQ(clEnqueueReadBuffer(queue_, out, CL_TRUE, 0, 4, &seen, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(seen, 0.75F);
}

TEST_F(ImageArgumentTest, ReadAndWrittenInPlace) {
  Owned<cl_program> program = buildProgram(kSource, "-cl-std=CL3.0");
  Owned<cl_kernel> kernel = kernelOf(program, "twice");
  Owned<cl_mem> image = numbers({1, 2, 3, 4});
  ASSERT_EQ(set(kernel, 0, image), CL_SUCCESS);
  ASSERT_EQ(run(kernel, 3), CL_SUCCESS);
  ASSERT_EQ(run(kernel, 3), CL_SUCCESS);
  const cl_uint expected[] = {4, 8, 12, 4};
  const std::vector<std::byte> seen = texels(image, {CL_MEM_OBJECT_IMAGE2D, {CL_R, CL_UNSIGNED_INT32}, {4, 1, 1}});
  EXPECT_EQ(std::memcmp(seen.data(), expected, sizeof expected), 0) << "the last texel is left as it was";
}

TEST_F(ImageArgumentTest, ClonesHaveTheSameImages) {
  Owned<cl_program> program = buildProgram(kSource, "-cl-std=CL3.0");
  Owned<cl_kernel> kernel = kernelOf(program, "copy");
  Owned<cl_mem> in = numbers({9, 8, 7, 6}), other = numbers({1, 1, 1, 1}), out = makeBuffer(16);
  ASSERT_EQ(set(kernel, 0, in), CL_SUCCESS);
  ASSERT_EQ(set(kernel, 1, out), CL_SUCCESS);
  cl_int status = 1;
  Owned<cl_kernel> clone = clCloneKernel(kernel, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  ASSERT_EQ(set(kernel, 0, other), CL_SUCCESS);
  ASSERT_EQ(run(clone, 4), CL_SUCCESS);
  EXPECT_EQ(contents(out, 4), (std::vector<cl_uint>{9, 8, 7, 6}));
}

// Section 5.10: more arguments than a device has room for are CL_OUT_OF_RESOURCES, or the build refuses them.
TEST_F(ImageArgumentTest, ManyArguments) {
  std::string source = "kernel void many(global uint* out";
  constexpr cl_uint kCount = 128;
  for (cl_uint i = 0; i < kCount; ++i)
    source += ", read_only image2d_t i" + std::to_string(i);
  source += ") { uint sum = 0;";
  for (cl_uint i = 0; i < kCount; ++i)
    source += " sum += read_imageui(i" + std::to_string(i) + ", (int2)(0, 0)).x;";
  source += " *out = sum; }";
  Owned<cl_kernel> kernel = makeKernel(source.c_str(), "many");
  Owned<cl_mem> out = makeBuffer(4);
  ASSERT_EQ(set(kernel, 0, out), CL_SUCCESS);
  std::vector<Owned<cl_mem>> images;
  cl_uint sum = 0;
  for (cl_uint i = 0; i < kCount; ++i) {
    images.push_back(numbers({i * i}));
    sum += i * i;
    ASSERT_EQ(set(kernel, i + 1, images.back()), CL_SUCCESS);
  }
  ASSERT_EQ(run(kernel, 1), CL_SUCCESS);
  EXPECT_EQ(contents(out, 1), std::vector<cl_uint>{sum});
}

} // namespace

} // namespace clotho::test
