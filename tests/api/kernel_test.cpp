// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fixture.hpp"

namespace clotho::test {

namespace {

constexpr const char* kSource = R"(
  typedef struct { int a; float4 b; } Pair;
  kernel void arguments(global const volatile float* restrict in, constant int* table, local uint2* scratch,
                        Pair pair, float3 vector, uchar small, global int* const out) {
    *out = (int)in[0] + table[0] + pair.a + (int)vector.x + small;
  }
  kernel __attribute__((reqd_work_group_size(8, 4, 2))) void shaped(global int* p) {
    local int shared[100];
    shared[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    p[get_global_id(0)] = shared[7 - get_local_id(0)];
  }
  kernel void empty() {}
)";

class KernelTest : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    program_ = buildProgram(kSource, "-cl-kernel-arg-info");
    kernel_ = make("arguments");
    buffer_ = makeBuffer(256);
  }
  Owned<cl_kernel> make(const char* name) {
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program_, name, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return kernel;
  }
  cl_int set(cl_uint index, size_t size, const void* value) { return clSetKernelArg(kernel_, index, size, value); }
  template <class T> T argInfo(cl_uint index, cl_kernel_arg_info name) {
    return valueAnswer<T>(CLOTHO_INFO(clGetKernelArgInfo, kernel_, index, name));
  }
  std::string argText(cl_uint index, cl_kernel_arg_info name) {
    return textAnswer(CLOTHO_INFO(clGetKernelArgInfo, kernel_, index, name));
  }
  Owned<cl_program> program_;
  Owned<cl_kernel> kernel_;
  Owned<cl_mem> buffer_;
};

TEST_F(KernelTest, CreateErrors) {
  cl_int status = 1;
  Foreign<cl_program> foreign(device_);
  EXPECT_EQ(clCreateKernel(foreign, "empty", &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PROGRAM);
  EXPECT_EQ(clCreateKernel(program_, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateKernel(program_, "absent", &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_KERNEL_NAME);
  Owned<cl_program> unbuilt = makeProgram(kSource);
  EXPECT_EQ(clCreateKernel(unbuilt, "empty", &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PROGRAM_EXECUTABLE);
}

TEST_F(KernelTest, AllKernelsOfAProgram) {
  cl_kernel kernels[4] = {};
  cl_uint count = 0;
  EXPECT_EQ(clCreateKernelsInProgram(program_, 0, nullptr, &count), CL_SUCCESS);
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(clCreateKernelsInProgram(program_, 2, kernels, &count), CL_INVALID_VALUE);
  EXPECT_EQ(kernels[0], nullptr);
  ASSERT_EQ(clCreateKernelsInProgram(program_, 4, kernels, &count), CL_SUCCESS);
  EXPECT_EQ(kernels[3], nullptr);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(clReleaseKernel(kernels[i]), CL_SUCCESS);
  Foreign<cl_program> foreign(device_);
  EXPECT_EQ(clCreateKernelsInProgram(foreign, 0, nullptr, &count), CL_INVALID_PROGRAM);
  Owned<cl_program> unbuilt = makeProgram(kSource);
  EXPECT_EQ(clCreateKernelsInProgram(unbuilt, 0, nullptr, &count), CL_INVALID_PROGRAM_EXECUTABLE);
}

TEST_F(KernelTest, ArgumentErrors) {
  cl_mem memory = buffer_;
  char bytes[64] = {};
  Foreign<cl_kernel> foreign(device_);
  Foreign<cl_mem> notMemory(device_);
  cl_mem bad = notMemory;
  EXPECT_EQ(clSetKernelArg(foreign, 0, sizeof memory, &memory), CL_INVALID_KERNEL);
  EXPECT_EQ(set(7, sizeof memory, &memory), CL_INVALID_ARG_INDEX);
  EXPECT_EQ(set(0, sizeof memory - 1, &memory), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(set(0, sizeof memory, &bad), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(set(2, 16, bytes), CL_INVALID_ARG_VALUE) << "local memory has no value";
  EXPECT_EQ(set(2, 0, nullptr), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(set(3, 31, bytes), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(set(3, 32, nullptr), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(set(4, 12, bytes), CL_INVALID_ARG_SIZE) << "a float3 is as large as a float4";
  EXPECT_EQ(set(5, 4, bytes), CL_INVALID_ARG_SIZE);
  Owned<cl_context> context = makeContext();
  cl_int status;
  Owned<cl_mem> otherBuffer = clCreateBuffer(context, 0, 64, nullptr, &status);
  cl_mem other = otherBuffer;
  EXPECT_EQ(set(0, sizeof other, &other), CL_INVALID_CONTEXT);
}

// What is no sampler leaves the argument without a value, so that the kernel cannot run.
TEST_F(KernelTest, SamplerArguments) {
  Owned<cl_kernel> kernel =
      makeKernel("kernel void k(sampler_t s, global int* out) { *out = 1; }", "k", "-cl-kernel-arg-info");
  EXPECT_EQ(textAnswer(CLOTHO_INFO(clGetKernelArgInfo, kernel, 0, CL_KERNEL_ARG_TYPE_NAME)), "sampler_t");
  EXPECT_EQ(valueAnswer<cl_kernel_arg_address_qualifier>(
                CLOTHO_INFO(clGetKernelArgInfo, kernel, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER)),
            cl_uint{CL_KERNEL_ARG_ADDRESS_PRIVATE});
  cl_mem memory = buffer_;
  Foreign<cl_sampler> foreign(device_);
  cl_sampler notOurs = foreign, none = nullptr;
  EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof notOurs, &notOurs), CL_INVALID_SAMPLER);
  EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_INVALID_SAMPLER);
  EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof none, &none), CL_INVALID_SAMPLER);
  EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof none, nullptr), CL_INVALID_SAMPLER);
  EXPECT_EQ(clSetKernelArg(kernel, 0, 4, &notOurs), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(clSetKernelArg(kernel, 0, 16, nullptr), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof memory, &memory), CL_SUCCESS);
  size_t one = 1;
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
            CL_INVALID_KERNEL_ARGS);
}

// A buffer is no image.
TEST_F(KernelTest, ImageArguments) {
  Owned<cl_kernel> kernel =
      makeKernel("kernel void k(write_only image2d_t i, global int* out) { *out = 1; }", "k", "-cl-kernel-arg-info");
  EXPECT_EQ(valueAnswer<cl_kernel_arg_address_qualifier>(
                CLOTHO_INFO(clGetKernelArgInfo, kernel, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER)),
            cl_uint{CL_KERNEL_ARG_ADDRESS_GLOBAL});
  EXPECT_EQ(valueAnswer<cl_kernel_arg_access_qualifier>(
                CLOTHO_INFO(clGetKernelArgInfo, kernel, 0, CL_KERNEL_ARG_ACCESS_QUALIFIER)),
            cl_uint{CL_KERNEL_ARG_ACCESS_WRITE_ONLY});
  cl_mem memory = buffer_;
  EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clSetKernelArg(kernel, 0, 4, &memory), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(clEnqueueTask(queue_, kernel, 0, nullptr, nullptr), CL_INVALID_KERNEL_ARGS);
}

TEST_F(KernelTest, ArgumentsReachTheKernel) {
  struct alignas(16) {
    cl_int a;
    alignas(16) float b[4];
  } pair{1000, {}};
  cl_float in = 1, vector[4] = {10, 0, 0, 0};
  cl_int table = 100, seen = 0;
  cl_uchar small = 5;
  Owned<cl_mem> inBuffer = makeBuffer(4, CL_MEM_COPY_HOST_PTR, &in),
                tableBuffer = makeBuffer(4, CL_MEM_COPY_HOST_PTR, &table);
  cl_mem memory[] = {inBuffer, tableBuffer, buffer_};
  size_t one = 1;
  auto launch = [&] { return clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, &one, nullptr, 0, nullptr, nullptr); };
  EXPECT_EQ(set(0, sizeof(cl_mem), &memory[0]), CL_SUCCESS);
  EXPECT_EQ(set(1, sizeof(cl_mem), &memory[1]), CL_SUCCESS);
  EXPECT_EQ(set(2, 64, nullptr), CL_SUCCESS);
  EXPECT_EQ(set(3, sizeof pair, &pair), CL_SUCCESS);
  EXPECT_EQ(set(4, sizeof vector, vector), CL_SUCCESS);
  EXPECT_EQ(set(5, 1, &small), CL_SUCCESS);
  EXPECT_EQ(launch(), CL_INVALID_KERNEL_ARGS) << "the last one is missing";
  EXPECT_EQ(set(6, sizeof(cl_mem), &memory[2]), CL_SUCCESS);
  EXPECT_EQ(set(5, 2, &small), CL_INVALID_ARG_SIZE) << "and the old value stays";
  ASSERT_EQ(launch(), CL_SUCCESS);
  pair.a = 0; // copied when it was set
  ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer_, CL_TRUE, 0, 4, &seen, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(seen, 1116);
}

TEST_F(KernelTest, NullBuffersAreLegal) {
  Owned<cl_kernel> kernel = makeKernel("kernel void k(global int* p, constant int* c, global int* out) {\n"
                                       "  *out = (p == 0) + 2 * (c == 0);\n}",
                                       "k");
  cl_mem none = nullptr, out = buffer_;
  cl_int seen = 0;
  EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof none, nullptr), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof none, &none), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(kernel, 2, sizeof out, &out), CL_SUCCESS);
  ASSERT_EQ(clEnqueueTask(queue_, kernel, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer_, CL_TRUE, 0, 4, &seen, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(seen, 3);
}

TEST_F(KernelTest, ArgumentsAreNotKept) {
  cl_mem memory = buffer_;
  ASSERT_EQ(set(0, sizeof memory, &memory), CL_SUCCESS);
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetMemObjectInfo, buffer_, CL_MEM_REFERENCE_COUNT)), 1u);
}

TEST_F(KernelTest, Info) {
  EXPECT_EQ(textAnswer(CLOTHO_INFO(clGetKernelInfo, kernel_, CL_KERNEL_FUNCTION_NAME)), "arguments");
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetKernelInfo, kernel_, CL_KERNEL_NUM_ARGS)), 7u);
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetKernelInfo, kernel_, CL_KERNEL_REFERENCE_COUNT)), 1u);
  EXPECT_EQ(valueAnswer<cl_context>(CLOTHO_INFO(clGetKernelInfo, kernel_, CL_KERNEL_CONTEXT)), context_.get());
  EXPECT_EQ(valueAnswer<cl_program>(CLOTHO_INFO(clGetKernelInfo, kernel_, CL_KERNEL_PROGRAM)), program_.get());
  EXPECT_EQ(textAnswer(CLOTHO_INFO(clGetKernelInfo, make("shaped"), CL_KERNEL_ATTRIBUTES)),
            "reqd_work_group_size(8,4,2)");
  EXPECT_EQ(textAnswer(CLOTHO_INFO(clGetKernelInfo, kernel_, CL_KERNEL_ATTRIBUTES)), "");
  checkInfoProtocol([&](cl_uint name, size_t size, void* value,
                        size_t* ret) { return clGetKernelInfo(kernel_, name, size, value, ret); },
                    CL_KERNEL_FUNCTION_NAME);
  Foreign<cl_kernel> foreign(device_);
  EXPECT_EQ(clGetKernelInfo(foreign, CL_KERNEL_NUM_ARGS, 0, nullptr, nullptr), CL_INVALID_KERNEL);
}

TEST_F(KernelTest, CountsReferences) {
  Owned<cl_kernel> owned = make("empty");
  cl_kernel kernel = owned.take();
  EXPECT_EQ(clRetainKernel(kernel), CL_SUCCESS);
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetKernelInfo, kernel, CL_KERNEL_REFERENCE_COUNT)), 2u);
  EXPECT_EQ(clReleaseKernel(kernel), CL_SUCCESS);
  EXPECT_EQ(clReleaseKernel(kernel), CL_SUCCESS);
  EXPECT_EQ(clReleaseKernel(kernel), CL_INVALID_KERNEL);
  EXPECT_EQ(clRetainKernel(kernel), CL_INVALID_KERNEL);
}

TEST_F(KernelTest, ArgumentInfo) {
  struct {
    cl_kernel_arg_address_qualifier address;
    cl_kernel_arg_type_qualifier qualifiers;
    const char *type, *name;
  } expected[] = {
      {CL_KERNEL_ARG_ADDRESS_GLOBAL,
       CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_VOLATILE | CL_KERNEL_ARG_TYPE_RESTRICT, "float*", "in"},
      {CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_TYPE_CONST, "int*", "table"},
      {CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_TYPE_NONE, "uint2*", "scratch"},
      {CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE, "Pair", "pair"},
      {CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE, "float3", "vector"},
      {CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE, "uchar", "small"},
      {CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_NONE, "int*", "out"},
  };
  for (cl_uint i = 0; i < 7; ++i) {
    EXPECT_EQ(argInfo<cl_kernel_arg_address_qualifier>(i, CL_KERNEL_ARG_ADDRESS_QUALIFIER), expected[i].address) << i;
    EXPECT_EQ(argInfo<cl_kernel_arg_access_qualifier>(i, CL_KERNEL_ARG_ACCESS_QUALIFIER),
              cl_uint{CL_KERNEL_ARG_ACCESS_NONE})
        << i;
    EXPECT_EQ(argInfo<cl_kernel_arg_type_qualifier>(i, CL_KERNEL_ARG_TYPE_QUALIFIER), expected[i].qualifiers) << i;
    EXPECT_EQ(argText(i, CL_KERNEL_ARG_TYPE_NAME), expected[i].type) << i;
    EXPECT_EQ(argText(i, CL_KERNEL_ARG_NAME), expected[i].name) << i;
  }
  checkInfoProtocol([&](cl_uint name, size_t size, void* value,
                        size_t* ret) { return clGetKernelArgInfo(kernel_, 0, name, size, value, ret); },
                    CL_KERNEL_ARG_NAME);
  Foreign<cl_kernel> foreign(device_);
  EXPECT_EQ(clGetKernelArgInfo(foreign, 0, CL_KERNEL_ARG_NAME, 0, nullptr, nullptr), CL_INVALID_KERNEL);
  EXPECT_EQ(clGetKernelArgInfo(kernel_, 7, CL_KERNEL_ARG_NAME, 0, nullptr, nullptr), CL_INVALID_ARG_INDEX);
  Owned<cl_kernel> without = makeKernel("kernel void k(global int* p) {}", "k");
  EXPECT_EQ(clGetKernelArgInfo(without, 0, CL_KERNEL_ARG_NAME, 0, nullptr, nullptr), CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
}

TEST_F(KernelTest, WorkGroupInfo) {
  auto value = [&]<class T>(T, cl_kernel kernel, cl_kernel_work_group_info name) {
    return valueAnswer<T>(CLOTHO_INFO(clGetKernelWorkGroupInfo, kernel, device_, name));
  };
  Owned<cl_kernel> shaped = make("shaped");
  EXPECT_GE(value(size_t{}, shaped, CL_KERNEL_WORK_GROUP_SIZE), 64u);
  EXPECT_EQ(
      listAnswer<size_t>(CLOTHO_INFO(clGetKernelWorkGroupInfo, shaped, device_, CL_KERNEL_COMPILE_WORK_GROUP_SIZE)),
      (std::vector<size_t>{8, 4, 2}));
  EXPECT_EQ(
      listAnswer<size_t>(CLOTHO_INFO(clGetKernelWorkGroupInfo, kernel_, device_, CL_KERNEL_COMPILE_WORK_GROUP_SIZE)),
      (std::vector<size_t>{0, 0, 0}));
  EXPECT_GE(value(cl_ulong{}, shaped, CL_KERNEL_LOCAL_MEM_SIZE), 400u);
  EXPECT_EQ(value(cl_ulong{}, kernel_, CL_KERNEL_LOCAL_MEM_SIZE), 0u);
  ASSERT_EQ(set(2, 96, nullptr), CL_SUCCESS);
  EXPECT_EQ(value(cl_ulong{}, kernel_, CL_KERNEL_LOCAL_MEM_SIZE), 96u) << "with the argument that was set";
  EXPECT_GE(value(size_t{}, kernel_, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE), 1u);
  value(cl_ulong{}, kernel_, CL_KERNEL_PRIVATE_MEM_SIZE);
  size_t triple[3];
  EXPECT_EQ(clGetKernelWorkGroupInfo(kernel_, device_, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof triple, triple, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(clGetKernelWorkGroupInfo(kernel_, nullptr, CL_KERNEL_WORK_GROUP_SIZE, sizeof triple, triple, nullptr),
            CL_SUCCESS)
      << "there is only one device";
  checkInfoProtocol([&](cl_uint name, size_t size, void* out,
                        size_t* ret) { return clGetKernelWorkGroupInfo(kernel_, device_, name, size, out, ret); },
                    CL_KERNEL_WORK_GROUP_SIZE);
  Foreign<cl_kernel> foreign(device_);
  Foreign<cl_device_id> foreignDevice(device_);
  EXPECT_EQ(clGetKernelWorkGroupInfo(foreign, device_, CL_KERNEL_WORK_GROUP_SIZE, 0, nullptr, nullptr),
            CL_INVALID_KERNEL);
  EXPECT_EQ(clGetKernelWorkGroupInfo(kernel_, foreignDevice, CL_KERNEL_WORK_GROUP_SIZE, 0, nullptr, nullptr),
            CL_INVALID_DEVICE);
}

TEST_F(KernelTest, CloneHasArgumentsOfItsOwn) {
  Owned<cl_kernel> original = makeKernel("kernel void k(global int* p, int v) { *p = v; }", "k");
  cl_mem memory = buffer_;
  cl_int value = 1, status = 1, seen = 0;
  ASSERT_EQ(clSetKernelArg(original, 0, sizeof memory, &memory), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(original, 1, sizeof value, &value), CL_SUCCESS);
  Owned<cl_kernel> clone = clCloneKernel(original, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetKernelInfo, clone, CL_KERNEL_REFERENCE_COUNT)), 1u);
  value = 2;
  ASSERT_EQ(clSetKernelArg(original, 1, sizeof value, &value), CL_SUCCESS);
  for (int expected : {1, 2}) {
    ASSERT_EQ(clEnqueueTask(queue_, expected == 1 ? clone : original, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer_, CL_TRUE, 0, 4, &seen, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(seen, expected);
  }
  Foreign<cl_kernel> foreign(device_);
  EXPECT_EQ(clCloneKernel(foreign, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_KERNEL);
}

// What has been set is copied, and what has not has still to be.
TEST_F(KernelTest, CloneOfAKernelWithoutAllArguments) {
  Owned<cl_kernel> original =
      makeKernel("kernel void k(global int* p, local int* l, int v) {"
                 " l[get_local_id(0)] = v; barrier(CLK_LOCAL_MEM_FENCE); p[get_global_id(0)] = l[0]; }",
                 "k");
  const size_t items = 4;
  cl_mem memory = buffer_;
  cl_int value = 5, status = 1, seen[4] = {};
  ASSERT_EQ(clSetKernelArg(original, 0, sizeof memory, &memory), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(original, 1, sizeof seen, nullptr), CL_SUCCESS);
  Owned<cl_kernel> clone = clCloneKernel(original, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  auto local = [&](cl_kernel kernel) {
    return valueAnswer<cl_ulong>(CLOTHO_INFO(clGetKernelWorkGroupInfo, kernel, device_, CL_KERNEL_LOCAL_MEM_SIZE));
  };
  EXPECT_EQ(local(clone), local(original));
  EXPECT_GE(local(clone), sizeof seen);
  auto launch = [&](cl_kernel kernel) {
    return clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &items, 0, nullptr, nullptr);
  };
  EXPECT_EQ(launch(clone), CL_INVALID_KERNEL_ARGS);
  ASSERT_EQ(clSetKernelArg(clone, 2, sizeof value, &value), CL_SUCCESS);
  EXPECT_EQ(launch(original), CL_INVALID_KERNEL_ARGS) << "the clone's argument is not the original's";
  ASSERT_EQ(clReleaseKernel(original.take()), CL_SUCCESS);
  ASSERT_EQ(launch(clone), CL_SUCCESS);
  ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer_, CL_TRUE, 0, sizeof seen, seen, 0, nullptr, nullptr), CL_SUCCESS);
  for (cl_int each : seen)
    EXPECT_EQ(each, value);
}

} // namespace

} // namespace clotho::test
