// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cl_khr_external_memory_dma_buf.
#include "external_memory.hpp"

#include <array>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <span>
#include <sys/ioctl.h>

namespace clotho::test {

namespace {

class DmaBufTest : public ExternalMemoryApi {};

} // namespace

TEST_F(DmaBufTest, AreAnnounced) {
  FakeDmaBuf memory(kWords * sizeof(cl_uint));
  const std::span<cl_uint> words(memory.words(), kWords);
  Owned<cl_mem> buffer = makeBuffer(imported(memory.file(), CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR));
  EXPECT_TRUE(isOpen(memory.file())); // the driver keeps it
  EXPECT_TRUE(memory.announced().empty());
  acquire(queue_, buffer);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(memory.announced(), (std::vector<std::uint64_t>{DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW}));
  giveBack(queue_, buffer);
  EXPECT_EQ(memory.announced(),
            (std::vector<std::uint64_t>{DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW, DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW}));
  goesBothWays(buffer, words);
  *buffer.out() = nullptr;
  EXPECT_FALSE(isOpen(memory.file()));
}

TEST_F(DmaBufTest, ThatNobodyWrites) {
  FakeDmaBuf memory(kWords * sizeof(cl_uint));
  const Owned<cl_mem> buffer = makeBuffer(imported(memory.file(), CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR), CL_SUCCESS,
                                          CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY);
  acquire(queue_, buffer);
  giveBack(queue_, buffer);
  EXPECT_EQ(memory.announced(),
            (std::vector<std::uint64_t>{DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ}));
}

TEST_F(DmaBufTest, SeveralInOneCommand) {
  FakeDmaBuf first(4096), second(4096);
  Descriptor file = makeMemory(1024);
  const Owned<cl_mem> one = makeBuffer(imported(first.file(), CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR), CL_SUCCESS, 0,
                                       4096),
                      two = makeBuffer(imported(file.give()), CL_SUCCESS, 0, 4096),
                      three =
                          makeImage(imported(second.file(), CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR), image2D(32, 32));
  const std::array<cl_mem, 3> all = {one, two, three};
  Owned<cl_event> before = makeUserEvent(), acquired, released;
  cl_event wait = before;
  Owned<cl_command_queue> queue = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  ASSERT_EQ(acquire_(queue, 3, all.data(), 1, &wait, acquired.out()), CL_SUCCESS);
  wait = acquired;
  ASSERT_EQ(release_(queue, 3, all.data(), 1, &wait, released.out()), CL_SUCCESS);
  EXPECT_TRUE(first.announced().empty());
  ASSERT_EQ(clSetUserEventStatus(before, CL_COMPLETE), CL_SUCCESS);
  wait = released;
  ASSERT_EQ(clWaitForEvents(1, &wait), CL_SUCCESS);
  for (const FakeDmaBuf* each : {&first, &second})
    EXPECT_EQ(each->announced(),
              (std::vector<std::uint64_t>{DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW, DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW}));
}

// DMA buffers that the kernel makes, if it can make any, work as the fake ones do.
TEST_F(DmaBufTest, OfTheKernel) {
  constexpr size_t kBytes = 1 << 16;
  int fd = -1;
  const Descriptor maker(open("/dev/udmabuf", O_RDWR | O_CLOEXEC)),
      heap(open("/dev/dma_heap/system", O_RDWR | O_CLOEXEC));
  const Descriptor memory = makeMemory(kBytes / sizeof(cl_uint));
  if (maker.get() >= 0) {
    ASSERT_EQ(fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
    udmabuf_create request{};
    request.memfd = static_cast<std::uint32_t>(memory.get());
    request.flags = UDMABUF_FLAGS_CLOEXEC;
    request.size = kBytes;
    fd = ioctl(maker.get(), UDMABUF_CREATE, &request);
  } else if (heap.get() >= 0) {
    dma_heap_allocation_data request{};
    request.len = kBytes;
    request.fd_flags = O_RDWR | O_CLOEXEC;
    ASSERT_EQ(ioctl(heap.get(), DMA_HEAP_IOCTL_ALLOC, &request), 0);
    fd = static_cast<int>(request.fd);
  } else {
    GTEST_SKIP() << "this machine has neither /dev/udmabuf nor /dev/dma_heap/system";
  }
  ASSERT_GE(fd, 0);
  const OtherView view(fd, kBytes / sizeof(cl_uint));
  const Owned<cl_mem> buffer = makeBuffer(imported(fd, CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR), CL_SUCCESS, 0, kBytes);
  goesBothWays(buffer, view.words());
}

} // namespace clotho::test
