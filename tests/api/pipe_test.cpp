// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pipes as the host sees them: creation, queries, arguments, and what is refused.
#include "pipes.hpp"

#include <algorithm>
#include <climits>

namespace clotho::test {

namespace {

constexpr const char* kSource = R"(
  kernel void ask(read_only pipe uint in, global uint* out) { *out = get_pipe_num_packets(in); }
  kernel void put(write_only pipe uint out, global uint* status) {
    uint value = get_global_id(0) + 7;
    status[get_global_id(0)] = write_pipe(out, &value);
  }
  kernel void get(read_only pipe uint in, global uint* values) {
    uint value = 0;
    if (read_pipe(in, &value) == 0) values[get_global_id(0)] = value;
  }
  kernel void other(global uint* buffer, float number) { *buffer = number; }
  kernel void large(read_only pipe ulong in, global uint* status) {
    ulong value;
    status[0] = read_pipe(in, &value);
    status[1] = is_valid_reserve_id(reserve_read_pipe(in, 1));
  }
)";

class PipeTest : public Pipes {
 protected:
  void SetUp() override {
    Api::SetUp();
    program_ = buildProgram(kSource, "-cl-std=CL3.0 -cl-kernel-arg-info");
  }
  void refused(cl_mem_flags flags, cl_uint size, cl_uint count, cl_int expected,
               const cl_pipe_properties* properties = nullptr) {
    cl_int status = 1;
    EXPECT_EQ(clCreatePipe(context_, flags, size, count, properties, &status), nullptr);
    EXPECT_EQ(status, expected) << flags << " " << size << " " << count;
  }
  cl_uint limit(cl_device_info name) { return valueAnswer<cl_uint>(CLOTHO_INFO(clGetDeviceInfo, device_, name)); }
  Owned<cl_program> program_;
};

TEST_F(PipeTest, Limits) {
  EXPECT_EQ(limit(CL_DEVICE_PIPE_SUPPORT), cl_uint{CL_TRUE});
  EXPECT_GE(limit(CL_DEVICE_MAX_PIPE_ARGS), 16u);
  EXPECT_GE(limit(CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS), 1u);
  EXPECT_GE(limit(CL_DEVICE_PIPE_MAX_PACKET_SIZE), 1024u);
}

TEST_F(PipeTest, CreationErrors) {
  for (int bit = 0; bit < 64; ++bit) {
    const cl_mem_flags flag = cl_mem_flags{1} << bit;
    if (flag == CL_MEM_READ_WRITE || flag == CL_MEM_HOST_NO_ACCESS) continue;
    refused(flag, 4, 16, CL_INVALID_VALUE);
    refused(flag | CL_MEM_READ_WRITE, 4, 16, CL_INVALID_VALUE);
  }
  const cl_pipe_properties none[] = {0};
  refused(0, 4, 16, CL_INVALID_VALUE, none);
  const cl_pipe_properties some[] = {CL_PIPE_PACKET_SIZE, 4, 0};
  refused(0, 4, 16, CL_INVALID_VALUE, some);
  const cl_uint largest = limit(CL_DEVICE_PIPE_MAX_PACKET_SIZE);
  refused(0, 0, 16, CL_INVALID_PIPE_SIZE);
  refused(0, 4, 0, CL_INVALID_PIPE_SIZE);
  refused(0, largest + 1, 16, CL_INVALID_PIPE_SIZE);
  refused(0, UINT_MAX, UINT_MAX, CL_INVALID_PIPE_SIZE);
  refused(0, largest, UINT_MAX, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_EQ(clCreatePipe(context_, CL_MEM_READ_ONLY, 4, 16, nullptr, nullptr), nullptr);
}

TEST_F(PipeTest, Queries) {
  constexpr cl_mem_flags kBoth = CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS;
  for (const cl_mem_flags flags :
       {cl_mem_flags{0}, cl_mem_flags{CL_MEM_READ_WRITE}, cl_mem_flags{CL_MEM_HOST_NO_ACCESS}, kBoth}) {
    Owned<cl_mem> pipe = makePipe(12, 100, flags);
    const auto number = [&](cl_pipe_info name) { return valueAnswer<cl_uint>(CLOTHO_INFO(clGetPipeInfo, pipe, name)); };
    EXPECT_EQ(number(CL_PIPE_PACKET_SIZE), 12u);
    EXPECT_EQ(number(CL_PIPE_MAX_PACKETS), 100u);
    EXPECT_TRUE(answer(CLOTHO_INFO(clGetPipeInfo, pipe, CL_PIPE_PROPERTIES)).empty());
    EXPECT_EQ(valueAnswer<cl_mem_flags>(CLOTHO_INFO(clGetMemObjectInfo, pipe, CL_MEM_FLAGS)), flags ? flags : kBoth);
    EXPECT_EQ(valueAnswer<cl_mem_object_type>(CLOTHO_INFO(clGetMemObjectInfo, pipe, CL_MEM_TYPE)),
              cl_mem_object_type{CL_MEM_OBJECT_PIPE});
    EXPECT_GE(valueAnswer<size_t>(CLOTHO_INFO(clGetMemObjectInfo, pipe, CL_MEM_SIZE)), 1200u);
    EXPECT_EQ(valueAnswer<void*>(CLOTHO_INFO(clGetMemObjectInfo, pipe, CL_MEM_HOST_PTR)), nullptr);
    EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetMemObjectInfo, pipe, CL_MEM_MAP_COUNT)), 0u);
    EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetMemObjectInfo, pipe, CL_MEM_REFERENCE_COUNT)), 1u);
    EXPECT_EQ(valueAnswer<cl_context>(CLOTHO_INFO(clGetMemObjectInfo, pipe, CL_MEM_CONTEXT)), context_.get());
    EXPECT_EQ(valueAnswer<cl_mem>(CLOTHO_INFO(clGetMemObjectInfo, pipe, CL_MEM_ASSOCIATED_MEMOBJECT)), nullptr);
    EXPECT_EQ(valueAnswer<size_t>(CLOTHO_INFO(clGetMemObjectInfo, pipe, CL_MEM_OFFSET)), 0u);
    EXPECT_EQ(valueAnswer<cl_bool>(CLOTHO_INFO(clGetMemObjectInfo, pipe, CL_MEM_USES_SVM_POINTER)), cl_bool{CL_FALSE});
    checkInfoProtocol([&](cl_uint name, size_t size, void* value,
                          size_t* sizeReturned) { return clGetPipeInfo(pipe, name, size, value, sizeReturned); },
                      CL_PIPE_PACKET_SIZE);
  }
  Owned<cl_mem> buffer = makeBuffer(64);
  EXPECT_EQ(clGetPipeInfo(buffer, CL_PIPE_PACKET_SIZE, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  Foreign<cl_mem> foreign(device_);
  EXPECT_EQ(clGetPipeInfo(foreign, CL_PIPE_PACKET_SIZE, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
}

TEST_F(PipeTest, TheHostHasNoAccess) {
  Owned<cl_mem> pipe = makePipe(4, 64), buffer = makeBuffer(64);
  char bytes[64] = {};
  cl_int status = 1;
  EXPECT_EQ(clEnqueueReadBuffer(queue_, pipe, CL_TRUE, 0, 4, bytes, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueWriteBuffer(queue_, pipe, CL_TRUE, 0, 4, bytes, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueCopyBuffer(queue_, pipe, buffer, 0, 0, 4, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueCopyBuffer(queue_, buffer, pipe, 0, 0, 4, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueFillBuffer(queue_, pipe, bytes, 4, 0, 4, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueMapBuffer(queue_, pipe, CL_TRUE, CL_MAP_READ, 0, 4, 0, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueUnmapMemObject(queue_, pipe, bytes, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  const size_t origin[] = {0, 0, 0}, region[] = {1, 1, 1};
  EXPECT_EQ(
      clEnqueueReadBufferRect(queue_, pipe, CL_TRUE, origin, origin, region, 0, 0, 0, 0, bytes, 0, nullptr, nullptr),
      CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueReadImage(queue_, pipe, CL_TRUE, origin, region, 0, 0, bytes, 0, nullptr, nullptr),
            CL_INVALID_MEM_OBJECT);
  const cl_buffer_region part = {0, 4};
  EXPECT_EQ(clCreateSubBuffer(pipe, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clGetImageInfo(pipe, CL_IMAGE_WIDTH, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  cl_mem raw = pipe;
  const void* place = bytes;
  EXPECT_EQ(clEnqueueNativeKernel(
                queue_, [](void*) {}, bytes, sizeof bytes, 1, &raw, &place, 0, nullptr, nullptr),
            hasNativeKernels() ? CL_INVALID_MEM_OBJECT : CL_INVALID_OPERATION);
}

TEST_F(PipeTest, NoImageIsMadeOfAPipe) {
  Owned<cl_mem> pipe = makePipe(4, 64);
  const cl_image_format format{CL_R, CL_UNSIGNED_INT32};
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
  desc.image_width = 4;
  desc.mem_object = pipe;
  cl_int status = 1;
  EXPECT_EQ(clCreateImage(context_, 0, &format, &desc, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_IMAGE_DESCRIPTOR);
}

TEST_F(PipeTest, MigratesAndIsCounted) {
  Owned<cl_mem> pipe = makePipe(4, 64);
  cl_mem raw = pipe;
  for (const cl_mem_migration_flags flags :
       {cl_mem_migration_flags{0}, cl_mem_migration_flags{CL_MIGRATE_MEM_OBJECT_HOST}})
    EXPECT_EQ(clEnqueueMigrateMemObjects(queue_, 1, &raw, flags, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clRetainMemObject(pipe), CL_SUCCESS);
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetMemObjectInfo, pipe, CL_MEM_REFERENCE_COUNT)), 2u);
  EXPECT_EQ(clReleaseMemObject(pipe), CL_SUCCESS);
}

TEST_F(PipeTest, Arguments) {
  Owned<cl_mem> pipe = makePipe(4, 64), buffer = makeBuffer(256);
  Owned<cl_kernel> put = Pipes::makeKernel(program_, "put", {pipe, buffer});
  const auto set = [&](cl_kernel kernel, cl_uint index, size_t size, const void* value) {
    return clSetKernelArg(kernel, index, size, value);
  };
  cl_mem rawPipe = pipe, rawBuffer = buffer, none = nullptr;
  EXPECT_EQ(set(put, 0, sizeof rawPipe, &rawPipe), CL_SUCCESS);
  EXPECT_EQ(set(put, 0, sizeof rawPipe, &rawBuffer), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(set(put, 0, sizeof rawPipe, &none), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(set(put, 0, sizeof rawPipe, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(set(put, 0, sizeof rawPipe - 1, &rawPipe), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(set(put, 1, sizeof rawPipe, &rawPipe), CL_INVALID_MEM_OBJECT); // a pipe for a buffer
  Owned<cl_context> other = makeContext();
  cl_int status = 1;
  Owned<cl_mem> foreign = clCreatePipe(other, 0, 4, 64, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  cl_mem rawForeign = foreign;
  EXPECT_EQ(set(put, 0, sizeof rawForeign, &rawForeign), CL_INVALID_CONTEXT);
  // An argument is not kept by the kernel.
  Owned<cl_mem> brief = makePipe(4, 64);
  cl_mem rawBrief = brief;
  EXPECT_EQ(set(put, 0, sizeof rawBrief, &rawBrief), CL_SUCCESS);
  brief = Owned<cl_mem>();
  const size_t items = 1;
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, put, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
            CL_INVALID_MEM_OBJECT);
}

TEST_F(PipeTest, ArgumentInfo) {
  Owned<cl_mem> pipe = makePipe(4, 64), buffer = makeBuffer(256);
  for (const char* name : {"get", "put"}) {
    Owned<cl_kernel> kernel = Pipes::makeKernel(program_, name, {pipe, buffer});
    const auto ask = [&kernel](cl_kernel_arg_info what) -> InfoCall {
      return [&kernel, what](size_t size, void* value, size_t* sizeReturned) {
        return clGetKernelArgInfo(kernel, 0, what, size, value, sizeReturned);
      };
    };
    EXPECT_EQ(valueAnswer<cl_kernel_arg_type_qualifier>(ask(CL_KERNEL_ARG_TYPE_QUALIFIER)),
              cl_kernel_arg_type_qualifier{CL_KERNEL_ARG_TYPE_PIPE});
    EXPECT_EQ(valueAnswer<cl_kernel_arg_access_qualifier>(ask(CL_KERNEL_ARG_ACCESS_QUALIFIER)),
              name[0] == 'g' ? cl_kernel_arg_access_qualifier{CL_KERNEL_ARG_ACCESS_READ_ONLY}
                             : cl_kernel_arg_access_qualifier{CL_KERNEL_ARG_ACCESS_WRITE_ONLY});
    EXPECT_EQ(valueAnswer<cl_kernel_arg_address_qualifier>(ask(CL_KERNEL_ARG_ADDRESS_QUALIFIER)),
              cl_kernel_arg_address_qualifier{CL_KERNEL_ARG_ADDRESS_GLOBAL});
    EXPECT_EQ(textAnswer(ask(CL_KERNEL_ARG_TYPE_NAME)), "uint");
  }
}

TEST_F(PipeTest, ContentsOutliveKernels) {
  Owned<cl_mem> pipe = makePipe(4, 10), status = makeNumbers(std::vector<cl_uint>(16, 1)),
                values = makeNumbers(std::vector<cl_uint>(16, 0));
  EXPECT_EQ(packetsIn(pipe, program_), 0u);
  launch(queue_, Pipes::makeKernel(program_, "put", {pipe, status}), 8, 8);
  EXPECT_EQ(numbersOf(status), (std::vector<cl_uint>{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(packetsIn(pipe, program_), 8u);
  launch(queue_, Pipes::makeKernel(program_, "get", {pipe, values}), 3, 1);
  EXPECT_EQ(packetsIn(pipe, program_), 5u);
  launch(queue_, Pipes::makeKernel(program_, "get", {pipe, values}), 16, 16);
  EXPECT_EQ(packetsIn(pipe, program_), 0u);
  // What was written first has been read first; of the last launch five work-items have found a packet.
  std::vector<cl_uint> seen = numbersOf(values);
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, (std::vector<cl_uint>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 11, 12, 13, 14}));
}

TEST_F(PipeTest, AnotherPacketSizeIsNeverRead) {
  Owned<cl_mem> pipe = makePipe(4, 10), status = makeNumbers(std::vector<cl_uint>(8, 1));
  launch(queue_, Pipes::makeKernel(program_, "put", {pipe, status}), 8);
  launch(queue_, Pipes::makeKernel(program_, "large", {pipe, status}), 1);
  const std::vector<cl_uint> seen = numbersOf(status);
  EXPECT_EQ(static_cast<cl_int>(seen[0]), -1);
  EXPECT_EQ(seen[1], 0u);
  EXPECT_EQ(packetsIn(pipe, program_), 8u);
}

TEST_F(PipeTest, AsManyArgumentsAsTheLimit) {
  const cl_uint most = limit(CL_DEVICE_MAX_PIPE_ARGS);
  for (const cl_uint count : {most, most + 1}) {
    std::string source = "kernel void k(global int* out";
    for (cl_uint i = 0; i < count; ++i)
      source += ", write_only pipe int p" + std::to_string(i);
    source += ") { int value = 3; *out = 0; ";
    for (cl_uint i = 0; i < count; ++i)
      source += "*out += write_pipe(p" + std::to_string(i) + ", &value); ";
    Owned<cl_kernel> kernel = Api::makeKernel((source + "}").c_str(), "k", "-cl-std=CL3.0");
    Owned<cl_mem> out = makeNumbers({1});
    cl_mem raw = out;
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
    std::vector<Owned<cl_mem>> pipes;
    for (cl_uint i = 0; i < count; ++i) {
      pipes.push_back(makePipe(4, 1));
      raw = pipes.back();
      EXPECT_EQ(clSetKernelArg(kernel, i + 1, sizeof raw, &raw), CL_SUCCESS);
    }
    const size_t one = 1;
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
              count == most ? CL_SUCCESS : CL_OUT_OF_RESOURCES);
    EXPECT_EQ(numbersOf(out)[0], count == most ? 0u : 1u);
  }
}

TEST_F(PipeTest, ClonedKernelsAndBinaries) {
  Owned<cl_mem> pipe = makePipe(4, 10), status = makeNumbers(std::vector<cl_uint>(8, 1));
  const auto devices = listAnswer<cl_device_id>(CLOTHO_INFO(clGetProgramInfo, program_, CL_PROGRAM_DEVICES));
  const auto sizes = listAnswer<size_t>(CLOTHO_INFO(clGetProgramInfo, program_, CL_PROGRAM_BINARY_SIZES));
  std::vector<std::vector<unsigned char>> binaries;
  std::vector<unsigned char*> places;
  for (const size_t size : sizes)
    places.push_back(binaries.emplace_back(size).data());
  ASSERT_EQ(clGetProgramInfo(program_, CL_PROGRAM_BINARIES, places.size() * sizeof places[0], places.data(), nullptr),
            CL_SUCCESS);
  cl_int result = 1;
  const std::vector<const unsigned char*> read(places.begin(), places.end());
  Owned<cl_program> again =
      clCreateProgramWithBinary(context_, static_cast<cl_uint>(devices.size()), devices.data(), sizes.data(),
                                const_cast<const unsigned char**>(read.data()), nullptr, &result);
  ASSERT_EQ(result, CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(again, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  Owned<cl_kernel> put = Pipes::makeKernel(again, "put", {pipe, status});
  Owned<cl_kernel> clone = clCloneKernel(put, &result);
  ASSERT_EQ(result, CL_SUCCESS);
  launch(queue_, clone, 8);
  EXPECT_EQ(numbersOf(status), std::vector<cl_uint>(8, 0));
  EXPECT_EQ(packetsIn(pipe, program_), 8u);
}

} // namespace

} // namespace clotho::test
