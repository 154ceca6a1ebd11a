// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels must not do to memory that others use, too: store what the program does not, or take pointers for apart
// that are not. While such a kernel runs, the host changes the bytes beside those that the kernel writes, and looks
// whether they are still there.
#include "svm.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <span>
#include <string>

namespace clotho::test {

namespace {

constexpr size_t kItems = 256;
constexpr cl_int kRounds = 10000;
constexpr int kLooks = 1000;

/// A kernel whose work-items write some bytes of a piece of their own, again and again.
struct Neighbours {
  const char* name;
  const char* body; ///< of round r, of work-item i
  size_t pieceBytes;
  std::vector<size_t> hosts; ///< which bytes of a piece are the host's alone
};

class SharedStoresTest : public SharedApi {
 protected:
  /// All of them in one program, as k0, k1 and so on.
  Owned<cl_program> build(std::span<const Neighbours> kernels, const std::string& options) {
    std::string source = "struct members { char a; short b; char c; int d; };\n";
    for (size_t k = 0; k < kernels.size(); ++k)
      source += "kernel void k" + std::to_string(k) +
                "(global uchar* bytes, int rounds) {\n"
                "  size_t i = get_global_id(0);\n"
                "  for (int r = 0; r < rounds; ++r) {\n" +
                kernels[k].body +
                "\n    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst,"
                " memory_scope_all_svm_devices);\n  } }\n";
    return buildProgram(source.c_str(), options.c_str());
  }
  /// How often a byte of the host's was not what it had written last.
  long lost(const Neighbours& kernel, cl_program program, size_t index) {
    Svm<unsigned char> memory = allocate<unsigned char>(kItems * kernel.pieceBytes, CL_MEM_SVM_FINE_GRAIN_BUFFER);
    std::fill_n(memory.get(), kItems * kernel.pieceBytes, static_cast<unsigned char>(0));
    cl_int status = 1;
    Owned<cl_kernel> built = clCreateKernel(program, ("k" + std::to_string(index)).c_str(), &status);
    EXPECT_EQ(status, CL_SUCCESS);
    EXPECT_EQ(clSetKernelArgSVMPointer(built, 0, memory.get()), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(built, 1, sizeof kRounds, &kRounds), CL_SUCCESS);
    long count = 0;
    int looks = 0;
    volatile unsigned char* bytes = memory.get();
    while (looks < kLooks) {
      Owned<cl_event> event;
      const size_t items = kItems;
      EXPECT_EQ(clEnqueueNDRangeKernel(queue_, built, 1, nullptr, &items, nullptr, 0, nullptr, event.out()),
                CL_SUCCESS);
      EXPECT_EQ(clFlush(queue_), CL_SUCCESS);
      for (unsigned char value = 1; statusOf(event) > CL_COMPLETE; ++value, ++looks) {
        for (size_t i = 0; i < kItems; ++i)
          for (size_t own : kernel.hosts)
            bytes[i * kernel.pieceBytes + own] = value;
        for (int wait = 0; wait < 500; ++wait)
          std::atomic_signal_fence(std::memory_order_seq_cst); // so that the kernel has time for some rounds
        for (size_t i = 0; i < kItems; ++i)
          for (size_t own : kernel.hosts)
            count += bytes[i * kernel.pieceBytes + own] != value;
      }
      EXPECT_EQ(statusOf(event), CL_COMPLETE);
    }
    return count;
  }
};

TEST_F(SharedStoresTest, NoneThatTheProgramDoesNotMake) {
  CLOTHO_NEEDS(claims("__opencl_c_atomic_scope_all_devices"));
  if (!has(CL_DEVICE_SVM_FINE_GRAIN_BUFFER)) GTEST_SKIP() << "a device without";
  const Neighbours kernels[] = {
      {"an element of a vector", "((global uchar4*)bytes)[i].y = r;", 4, {0, 2, 3}},
      {"elements of a vector", "((global int4*)bytes)[i].xz = (int2)(r);", 16, {4, 7, 12, 15}},
      {"any element of a vector", "((global ushort4*)bytes)[i][r & 1] = r;", 8, {4, 5, 6, 7}},
      {"every other byte", "bytes[2 * i] = r;", 2, {1}},
      {"bytes under a mask", "if (i & 1) bytes[i] = r;", 2, {0}},
      {"ints under a mask", "if (i & 1) ((global int*)bytes)[i] = r;", 8, {0, 3}},
      {"halves under a mask", "if (i & 1) vstore_half((float)r, i, (global half*)bytes);", 4, {0, 1}},
      {"one branch or the other",
       "global int* p = (global int*)bytes + i; if (r > 100000) *p = 1; else if (i & 1) *p += 1;",
       8,
       {0, 3}},
      {"never", "global int* p = (global int*)bytes + i; if (r < 0) *p = r; if (*p == 0x7f3f1f0f) *p = 0;", 4, {0, 1}},
      {"members of a struct",
       "global struct members* p = (global struct members*)bytes + i; p->a = r; p->d = r;",
       12,
       {2, 3, 4}},
      {"three of four", "vstore3((uchar3)(r), 0, bytes + 4 * i);", 4, {3}},
      {"a loop that may not begin",
       "if (i & 1) for (int q = 0; q < r % 3; ++q) ((global int*)bytes)[i] += q;",
       8,
       {0, 3}},
      {"an exchange that never is",
       "global int* p = (global int*)bytes; size_t j = i ^ 1;"
       " if (j > i && p[i] > p[j] + 1900000000) { int t = p[i]; p[i] = p[j]; p[j] = t; }",
       4,
       {0, 1}},
  };
  for (const char* options : {"-cl-std=CL3.0", "-cl-std=CL3.0 -clotho-width=1", "-cl-std=CL3.0 -cl-opt-disable"}) {
    Owned<cl_program> program = build(kernels, options);
    for (size_t i = 0; i < std::size(kernels); ++i)
      EXPECT_EQ(lost(kernels[i], program, i), 0) << kernels[i].name << ", " << options;
  }
}

/// A product of matrices whose tiles are staged in local memory. Groups write where they have read, which is right as
/// long as the tiles are read before.
class StagedTiles : public SharedApi {
 protected:
  static constexpr size_t kSide = 16, kColumns = 1024;

  void SetUp() override {
    SharedApi::SetUp();
    kernel_ = makeKernel("kernel void product(global float* c, global const float* a, global const float* b, int tiles,"
                         "                    int columns) {\n"
                         "  local float rows[16][16], across[16][16];\n"
                         "  int x = get_global_id(0), y = get_global_id(1);\n"
                         "  int lx = get_local_id(0), ly = get_local_id(1);\n"
                         "  float sum = 0;\n"
                         "  for (int t = 0; t < tiles; ++t) {\n"
                         "    rows[ly][lx] = a[y * 16 * tiles + t * 16 + lx];\n"
                         "    across[ly][lx] = b[(t * 16 + ly) * columns + x];\n"
                         "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                         "    for (int k = 0; k < 16; ++k) sum += rows[ly][k] * across[k][lx];\n"
                         "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                         "  }\n"
                         "  c[y * columns + x] = sum;\n"
                         "}",
                         "product");
    a_ = allocate<float>(kSide * kSide);
    b_ = allocate<float>(kSide * kColumns);
    c_ = allocate<float>(kSide * kColumns);
    const cl_int tiles = 1, columns = kColumns;
    ASSERT_EQ(clSetKernelArgSVMPointer(kernel_, 1, a_.get()), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel_, 3, sizeof tiles, &tiles), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel_, 4, sizeof columns, &columns), CL_SUCCESS);
  }
  void TearDown() override {
    a_.reset();
    b_.reset();
    c_.reset();
    Api::TearDown();
  }
  void fill() {
    map(a_.get(), kSide * kSide * 4);
    map(b_.get(), kSide * kColumns * 4);
    for (size_t i = 0; i < kSide * kSide; ++i)
      a_[i] = static_cast<float>(i * 7 % 11);
    for (size_t i = 0; i < kSide * kColumns; ++i)
      b_[i] = static_cast<float>(i * 5 % 13);
    expected_.assign(kSide * kColumns, 0);
    for (size_t y = 0; y < kSide; ++y)
      for (size_t x = 0; x < kColumns; ++x)
        for (size_t k = 0; k < kSide; ++k)
          expected_[y * kColumns + x] += a_[y * kSide + k] * b_[k * kColumns + x];
    unmap(a_.get());
    unmap(b_.get());
  }
  void expectAt(const float* place, const char* what) {
    const size_t global[] = {kColumns, kSide}, local[] = {16, 16};
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel_, 2, nullptr, global, local, 0, nullptr, nullptr), CL_SUCCESS);
    std::vector<float> result(kSide * kColumns);
    ASSERT_EQ(clEnqueueSVMMemcpy(queue_, CL_TRUE, result.data(), place, result.size() * 4, 0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(result, expected_) << what;
  }

  Owned<cl_kernel> kernel_;
  Svm<float> a_, b_, c_;
  std::vector<float> expected_;
};

using SharedAliasTest = StagedTiles;

TEST_F(SharedAliasTest, PointersIntoOneAllocation) {
  fill();
  ASSERT_EQ(clSetKernelArgSVMPointer(kernel_, 0, c_.get()), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(kernel_, 2, b_.get()), CL_SUCCESS);
  expectAt(c_.get(), "apart");
  ASSERT_EQ(clSetKernelArgSVMPointer(kernel_, 0, b_.get()), CL_SUCCESS);
  expectAt(b_.get(), "in place");
}

TEST_F(SharedAliasTest, ABufferOverItBesideAPointer) {
  Owned<cl_mem> over = makeBuffer(kSide * kColumns * 4, CL_MEM_USE_HOST_PTR, b_.get());
  cl_mem raw = over;
  fill();
  ASSERT_EQ(clSetKernelArg(kernel_, 0, sizeof raw, &raw), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(kernel_, 2, b_.get()), CL_SUCCESS);
  expectAt(b_.get(), "written through the buffer");
  fill();
  ASSERT_EQ(clSetKernelArgSVMPointer(kernel_, 0, b_.get()), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel_, 2, sizeof raw, &raw), CL_SUCCESS);
  expectAt(b_.get(), "written through the pointer");
  // Two buffers over it, one of them a part.
  Owned<cl_mem> other = makeBuffer(kSide * kColumns * 4, CL_MEM_USE_HOST_PTR, b_.get());
  cl_mem rawOther = other;
  fill();
  ASSERT_EQ(clSetKernelArg(kernel_, 0, sizeof rawOther, &rawOther), CL_SUCCESS);
  expectAt(b_.get(), "two buffers");
}

TEST_F(SharedAliasTest, MemoryThatNobodyKnows) {
  if (!has(CL_DEVICE_SVM_FINE_GRAIN_SYSTEM)) GTEST_SKIP() << "a device without";
  std::vector<float> system(kSide * kColumns);
  fill();
  std::copy_n(b_.get(), system.size(), system.begin());
  ASSERT_EQ(clSetKernelArgSVMPointer(kernel_, 0, system.data()), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(kernel_, 2, system.data()), CL_SUCCESS);
  expectAt(system.data(), "in place");
  // A buffer over it is the same memory, too.
  std::copy_n(b_.get(), system.size(), system.begin());
  Owned<cl_mem> over = makeBuffer(system.size() * 4, CL_MEM_USE_HOST_PTR, system.data());
  cl_mem raw = over;
  ASSERT_EQ(clSetKernelArg(kernel_, 0, sizeof raw, &raw), CL_SUCCESS);
  expectAt(system.data(), "through a buffer");
}

/// Facts about buffers, which are numbered, say nothing of an argument that is an address.
TEST_F(SharedAliasTest, OutputsAreNotTakenForOthers) {
  constexpr size_t kCount = 1 << 20;
  Owned<cl_kernel> kernel = makeKernel("kernel void k(global int* to, global const int* from, global int* both) {"
                                       "  size_t i = get_global_id(0); to[i] = from[i]; both[i] += 1; }",
                                       "k");
  Svm<cl_int> to = allocate<cl_int>(kCount), from = allocate<cl_int>(kCount);
  Owned<cl_mem> both = makeBuffer(kCount * 4);
  const cl_int zero = 0, nine = 9;
  ASSERT_EQ(clEnqueueSVMMemFill(queue_, from.get(), &nine, 4, kCount * 4, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueFillBuffer(queue_, both, &zero, 4, 0, kCount * 4, 0, nullptr, nullptr), CL_SUCCESS);
  cl_mem raw = both;
  ASSERT_EQ(clSetKernelArgSVMPointer(kernel, 0, to.get()), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(kernel, 1, from.get()), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 2, sizeof raw, &raw), CL_SUCCESS);
  for (int round = 0; round < 10; ++round)
    launch(kernel, kCount);
  std::vector<cl_int> result(kCount), sums(kCount);
  ASSERT_EQ(clEnqueueSVMMemcpy(queue_, CL_TRUE, result.data(), to.get(), kCount * 4, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueReadBuffer(queue_, both, CL_TRUE, 0, kCount * 4, sums.data(), 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(result, std::vector<cl_int>(kCount, 9));
  EXPECT_EQ(sums, std::vector<cl_int>(kCount, 10));
}

/// Memory that no work-item stores to may be write-protected. The first of two pages is so in some launches, the second
/// in all; one vector lies in both.
TEST_F(SharedStoresTest, PagesThatNoWorkItemStoresTo) {
  if (!has(CL_DEVICE_SVM_FINE_GRAIN_SYSTEM)) GTEST_SKIP() << "a device without";
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE)), count = page / sizeof(cl_int);
  void* pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  auto* numbers = static_cast<cl_int*>(pages);
  Owned<cl_kernel> kernel = makeKernel("kernel void k(global int* a, int most) {"
                                       "  size_t i = get_global_id(0); if (a[i] > most) a[i] = -a[i]; }",
                                       "k");
  const auto run = [&](size_t begin, cl_int most) {
    EXPECT_EQ(clSetKernelArgSVMPointer(kernel, 0, numbers + begin), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof most, &most), CL_SUCCESS);
    launch(kernel, count);
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  };
  for (size_t begin : {size_t(0), size_t(1), count - 3, count}) {
    for (size_t i = 0; i < 2 * count; ++i)
      numbers[i] = i < count && i % 3 != 0 ? 9 : 5;
    ASSERT_EQ(mprotect(numbers + count, page, PROT_READ), 0);
    run(begin, 7);
    for (size_t i = 0; i < 2 * count; ++i)
      ASSERT_EQ(numbers[i], i >= count || i % 3 == 0 ? 5 : i >= begin ? -9 : 9) << i << " from " << begin;
    ASSERT_EQ(mprotect(numbers, page, PROT_READ), 0);
    run(begin, 9); // no work-item at all
    ASSERT_EQ(mprotect(numbers, 2 * page, PROT_READ | PROT_WRITE), 0);
  }
  EXPECT_EQ(munmap(pages, 2 * page), 0);
}

/// What a host writes while a kernel waits for it, in divergent flow and behind a barrier.
TEST_F(SharedStoresTest, KernelsWaitForTheHost) {
  if (!has(CL_DEVICE_SVM_ATOMICS)) GTEST_SKIP() << "a device without";
  const char* waits[] = {
      "while (atomic_load_explicit(&f[0], memory_order_acquire, memory_scope_all_svm_devices) == 0);",
      "if (i % 3 == 1) while (!atomic_load_explicit(&f[0], memory_order_acquire, memory_scope_all_svm_devices));",
      "if (get_local_id(0) == 0) while (!atomic_load_explicit(&f[0], memory_order_acquire,"
      " memory_scope_all_svm_devices)); barrier(CLK_GLOBAL_MEM_FENCE);",
      "int old = 7; while (!atomic_compare_exchange_weak(&f[0], &old, 7)) old = 7;",
      "global atomic_int* g = f; while (atomic_fetch_add_explicit(g, 0, memory_order_acq_rel,"
      " memory_scope_all_svm_devices) == 0);",
      "while (*(volatile global int*)f == 0);"};
  for (const char* wait : waits) {
    Svm<std::atomic<cl_int>> flags =
        allocate<std::atomic<cl_int>>(300, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
    for (int i = 0; i < 300; ++i)
      flags[i] = 0;
    const std::string source = std::string("kernel void k(global atomic_int* f, global int* out) {\n"
                                           "  size_t i = get_global_id(0);\n"
                                           "  if (i == 0) atomic_store_explicit(&f[1], 1, memory_order_release,"
                                           " memory_scope_all_svm_devices);\n  ") +
                               wait + "\n  out[i + 2] = i; }";
    Owned<cl_kernel> kernel = makeKernel(source.c_str(), "k", "-cl-std=CL3.0");
    ASSERT_EQ(clSetKernelArgSVMPointer(kernel, 0, flags.get()), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArgSVMPointer(kernel, 1, flags.get()), CL_SUCCESS);
    launch(kernel, 64, 64);
    ASSERT_EQ(clFlush(queue_), CL_SUCCESS);
    while (flags[1] == 0)
      ; // it runs
    flags[0] = 7;
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS) << wait;
    for (int i = 0; i < 64; ++i)
      ASSERT_EQ(flags[i + 2], i) << wait;
  }
}

} // namespace

} // namespace clotho::test
