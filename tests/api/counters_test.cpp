// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that count in a buffer. Each thread may count by itself, where the buffer is small and no other argument's;
// the sums are the same.
#include "svm.hpp"

#include <array>

namespace clotho::test {

namespace {

constexpr const char* kSource = R"(
  #pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
  kernel void count(global const uchar* in, global uint* counts, uint from, uint values) {
    size_t i = get_global_id(0);
    atomic_inc(&counts[from + in[i] % values]);
    if (i % 5 == 0)
      atomic_sub(&counts[from], 3u);
  }
  kernel void count_longs(global const uchar* in, global ulong* counts) {
    atom_add(&counts[in[get_global_id(0)]], (ulong)in[get_global_id(0)] << 32);
  }
  kernel void count_perhaps(global const uchar* in, global ulong* counts, uint on) {
    if (on)
      atom_add(&counts[in[get_global_id(0)]], 1ul);
  }
  kernel void count_and_look(global uint* counts, global uint* global* table, global uint* seen) {
    size_t i = get_global_id(0);
    atomic_inc(&counts[i / 32]);
    seen[i] = table[0][i / 32] != 0;
  }
)";

class CountersTest : public SharedApi {
 protected:
  static constexpr size_t kItems = 50'000;

  void SetUp() override {
    SharedApi::SetUp();
    if (IsSkipped()) return;
    program_ = buildProgram(kSource, "-cl-std=CL2.0");
    cl_int status = 1;
    kernel_ = clCreateKernel(program_, "count", &status);
    ASSERT_EQ(status, CL_SUCCESS);
    bytes_.resize(kItems);
    cl_uint state = 1;
    for (cl_uchar& byte : bytes_)
      byte = static_cast<cl_uchar>((state = state * 1664525 + 1013904223) >> 24);
    in_ = makeBuffer(kItems, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes_.data());
  }

  void set(cl_mem in, cl_mem counts, cl_uint from, cl_uint values) {
    ASSERT_EQ(clSetKernelArg(kernel_, 0, sizeof in, &in), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel_, 1, sizeof counts, &counts), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel_, 2, sizeof from, &from), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel_, 3, sizeof values, &values), CL_SUCCESS);
  }

  void addExpected(std::vector<cl_uint>& counts, size_t items, cl_uint from, cl_uint values) const {
    for (size_t i = 0; i < items; ++i) {
      ++counts[from + bytes_[i] % values];
      if (i % 5 == 0) counts[from] -= 3;
    }
  }

  std::vector<cl_uint> read(cl_mem buffer, size_t words) {
    std::vector<cl_uint> result(words);
    EXPECT_EQ(
        clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, words * sizeof(cl_uint), result.data(), 0, nullptr, nullptr),
        CL_SUCCESS);
    return result;
  }

  Owned<cl_program> program_;
  Owned<cl_kernel> kernel_;
  Owned<cl_mem> in_;
  std::vector<cl_uchar> bytes_;
};

TEST_F(CountersTest, BuffersOfAnySize) {
  for (const size_t words : {1, 2, 3, 16, 251, 256, 1000, 1024, 1025, 1026, 40'000}) {
    std::vector<cl_uint> counts(words, 7);
    Owned<cl_mem> buffer = makeBuffer(words * sizeof(cl_uint), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, counts.data());
    const auto values = static_cast<cl_uint>(std::min<size_t>(words, 256));
    const auto from = static_cast<cl_uint>(words) - values;
    set(in_, buffer, from, values);
    for (const size_t items : {kItems, size_t{40}}) {
      launch(kernel_, items);
      addExpected(counts, items, from, values);
    }
    EXPECT_EQ(read(buffer, words), counts) << words << " counters";
  }
}

TEST_F(CountersTest, PartOfABuffer) {
  std::vector<cl_uint> counts(4096, 1);
  Owned<cl_mem> parent =
      makeBuffer(counts.size() * sizeof(cl_uint), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, counts.data());
  const cl_buffer_region region{4096, 1024};
  cl_int status = 1;
  Owned<cl_mem> part = clCreateSubBuffer(parent, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  set(in_, part, 0, 256);
  launch(kernel_, kItems);
  addExpected(counts, kItems, 1024, 256);
  EXPECT_EQ(read(parent, counts.size()), counts);
}

TEST_F(CountersTest, BufferThatIsReadToo) {
  // What is counted lies in front of the counters.
  std::vector<cl_uint> words(1024, 5);
  constexpr size_t kFew = 3072;
  std::copy_n(bytes_.begin(), kFew, reinterpret_cast<cl_uchar*>(words.data()));
  Owned<cl_mem> buffer =
      makeBuffer(words.size() * sizeof(cl_uint), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, words.data());
  set(buffer, buffer, 768, 256);
  launch(kernel_, kFew);
  addExpected(words, kFew, 768, 256);
  EXPECT_EQ(read(buffer, words.size()), words);
}

TEST_F(CountersTest, SharedMemory) {
  CLOTHO_NEEDS(hasSharedMemory());
  constexpr size_t kWords = 256;
  Svm<cl_uint> memory = allocate(kWords);
  std::vector<cl_uint> counts(kWords, 2), result(kWords);
  ASSERT_EQ(clEnqueueSVMMemcpy(queue_, CL_TRUE, memory.get(), counts.data(), kWords * 4, 0, nullptr, nullptr),
            CL_SUCCESS);
  set(in_, in_, 0, 256);
  ASSERT_EQ(clSetKernelArgSVMPointer(kernel_, 1, memory.get()), CL_SUCCESS);
  launch(kernel_, kItems);
  ASSERT_EQ(clEnqueueSVMMemcpy(queue_, CL_TRUE, result.data(), memory.get(), kWords * 4, 0, nullptr, nullptr),
            CL_SUCCESS);
  addExpected(counts, kItems, 0, 256);
  EXPECT_EQ(result, counts);
}

TEST_F(CountersTest, LaunchesAtOnce) {
  cl_int status = 1;
  const std::array<cl_queue_properties, 3> properties = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                                         0};
  Owned<cl_command_queue> free = clCreateCommandQueueWithProperties(context_, device_, properties.data(), &status);
  ASSERT_EQ(status, CL_SUCCESS);
  std::vector<cl_uint> counts(256, 0);
  Owned<cl_mem> buffer = makeBuffer(1024, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, counts.data());
  set(in_, buffer, 0, 256);
  const size_t items = kItems;
  for (int i = 0; i < 40; ++i) {
    ASSERT_EQ(clEnqueueNDRangeKernel(free, kernel_, 1, nullptr, &items, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    addExpected(counts, kItems, 0, 256);
  }
  ASSERT_EQ(clFinish(free), CL_SUCCESS);
  EXPECT_EQ(read(buffer, 256), counts);
}

// A buffer may be smaller than a counter where nothing is counted, and what lies behind it stays.
TEST_F(CountersTest, TooSmallForACounter) {
  cl_int status = 1;
  Owned<cl_kernel> perhaps = clCreateKernel(program_, "count_perhaps", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  std::vector<cl_ulong> host(512, 0x1111'1111'1111'1111);
  Owned<cl_mem> parent = makeBuffer(4096, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, host.data());
  for (size_t bytes = 1; bytes <= 8; ++bytes) {
    const cl_buffer_region region{1024, bytes};
    Owned<cl_mem> part = clCreateSubBuffer(parent, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    Owned<cl_mem> whole = makeBuffer(2048); // so that counters are elsewhere than in untouched memory
    for (const bool on : {true, false}) {
      const cl_mem arguments[] = {in_, on ? whole.get() : part.get()};
      const cl_uint value = on ? 1 : 0;
      for (cl_uint i = 0; i < 2; ++i)
        ASSERT_EQ(clSetKernelArg(perhaps, i, sizeof(cl_mem), &arguments[i]), CL_SUCCESS);
      ASSERT_EQ(clSetKernelArg(perhaps, 2, sizeof value, &value), CL_SUCCESS);
      launch(perhaps, kItems);
    }
    std::vector<cl_ulong> result(512);
    ASSERT_EQ(clEnqueueReadBuffer(queue_, parent, CL_TRUE, 0, 4096, result.data(), 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(result, host) << bytes << " bytes";
  }
}

// By a pointer from memory, a work-item sees what it has counted.
TEST_F(CountersTest, SeenThroughAPointer) {
  if (!has(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) || isFar()) GTEST_SKIP() << "a buffer on shared memory";
  constexpr size_t kWords = 512, kLooks = kWords * 32;
  Svm<cl_uint> memory = allocate(kWords);
  map(memory.get(), kWords * sizeof(cl_uint));
  std::fill_n(memory.get(), kWords, 0u);
  unmap(memory.get());
  cl_int status = 1;
  Owned<cl_kernel> look = clCreateKernel(program_, "count_and_look", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_mem> counts = makeBuffer(kWords * sizeof(cl_uint), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, memory.get());
  void* address = memory.get();
  Owned<cl_mem> table =
      makeBuffer(sizeof address, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, static_cast<void*>(&address));
  Owned<cl_mem> seen = makeBuffer(kLooks * sizeof(cl_uint));
  const cl_mem arguments[] = {counts, table, seen};
  for (cl_uint i = 0; i < 3; ++i)
    ASSERT_EQ(clSetKernelArg(look, i, sizeof(cl_mem), &arguments[i]), CL_SUCCESS);
  ASSERT_EQ(clSetKernelExecInfo(look, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof address, static_cast<void*>(&address)),
            CL_SUCCESS);
  launch(look, kLooks);
  EXPECT_EQ(read(seen, kLooks), std::vector<cl_uint>(kLooks, 1u));
}

TEST_F(CountersTest, Longs) {
  cl_int status = 1;
  Owned<cl_kernel> longs = clCreateKernel(program_, "count_longs", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  std::vector<cl_ulong> counts(256, 9), result(256);
  Owned<cl_mem> buffer = makeBuffer(2048, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, counts.data());
  const cl_mem arguments[] = {in_, buffer};
  for (cl_uint i = 0; i < 2; ++i)
    ASSERT_EQ(clSetKernelArg(longs, i, sizeof(cl_mem), &arguments[i]), CL_SUCCESS);
  launch(longs, kItems);
  for (const cl_uchar byte : bytes_)
    counts[byte] += cl_ulong{byte} << 32;
  ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, 2048, result.data(), 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(result, counts);
}

} // namespace

} // namespace clotho::test
