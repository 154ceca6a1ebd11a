// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Updates of recorded launches (cl_khr_command_buffer_mutable_dispatch).
#include "command_buffers.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

namespace clotho::test {

namespace {

using Config = khr::cl_mutable_dispatch_config_khr;
using Argument = khr::cl_mutable_dispatch_arg_khr;

class CommandBufferMutableTest : public CommandBufferApi {
 protected:
  cl_int update(cl_command_buffer_khr buffer, const std::vector<Config>& configs) {
    const std::vector<khr::cl_command_buffer_update_type_khr> types(configs.size(),
                                                                    CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR);
    std::vector<const void*> pointers;
    for (const Config& config : configs)
      pointers.push_back(&config);
    return calls_->clUpdateMutableCommandsKHR(buffer, static_cast<cl_uint>(configs.size()), types.data(),
                                              pointers.data());
  }
  static Config forCommand(cl_mutable_command_khr command) {
    Config config{};
    config.command = command;
    return config;
  }
  cl_int updateNumber(cl_command_buffer_khr buffer, cl_mutable_command_khr command, cl_uint number) {
    const Argument argument{1, sizeof number, &number};
    Config config = forCommand(command);
    config.num_args = 1;
    config.arg_list = &argument;
    return update(buffer, {config});
  }
  cl_int updateBuffer(cl_command_buffer_khr buffer, cl_mutable_command_khr command, cl_mem words) {
    const Argument argument{0, sizeof words, &words};
    Config config = forCommand(command);
    config.num_args = 1;
    config.arg_list = &argument;
    return update(buffer, {config});
  }
  template <class T> T commandInfo(cl_mutable_command_khr command, cl_mutable_command_info_khr name) {
    return valueAnswer<T>(CLOTHO_INFO(calls_->clGetMutableCommandInfoKHR, command, name));
  }
  std::vector<size_t> sizesOf(cl_mutable_command_khr command, cl_mutable_command_info_khr name) {
    return listAnswer<size_t>(CLOTHO_INFO(calls_->clGetMutableCommandInfoKHR, command, name));
  }
};

TEST_F(CommandBufferMutableTest, AReplacedArgumentIsLetGo) {
  std::atomic<int> destroyed{0};
  Owned<cl_mem> a = makeWords(Words(kWords, 0)), b = makeWords(Words(kWords, 0));
  ASSERT_EQ(clSetMemObjectDestructorCallback(
                a, [](cl_mem, void* count) { ++*static_cast<std::atomic<int>*>(count); }, &destroyed),
            CL_SUCCESS);
  Owned<cl_kernel> put = kernel("put", a, 1);
  cl_mutable_command_khr handle = nullptr;
  TestBuffer buffer = makeMutable();
  buffer.launch(put, kWords, {.handle = &handle});
  buffer.finalize();
  buffer.enqueue();
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  ASSERT_EQ(updateBuffer(buffer, handle, b), CL_SUCCESS);
  a = {};
  for (int i = 0; i < 5000 && destroyed == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(destroyed, 1);
  buffer.enqueue();
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(read(b), Words(kWords, 1));
}

TEST_F(CommandBufferMutableTest, ArgumentsChangeBetweenEnqueues) {
  Owned<cl_mem> a = makeWords(Words(kWords, 0)), b = makeWords(Words(kWords, 0));
  Owned<cl_kernel> put = kernel("put", a, 1);
  cl_mutable_command_khr handle = nullptr;
  TestBuffer buffer = makeMutable();
  buffer.launch(put, kWords, {.handle = &handle});
  ASSERT_NE(handle, nullptr);
  buffer.finalize();
  buffer.enqueue();
  EXPECT_EQ(read(a), Words(kWords, 1));
  ASSERT_EQ(updateNumber(buffer, handle, 2), CL_SUCCESS);
  ASSERT_EQ(updateBuffer(buffer, handle, b), CL_SUCCESS);
  buffer.enqueue();
  EXPECT_EQ(read(a), Words(kWords, 1));
  EXPECT_EQ(read(b), Words(kWords, 2));
  // The kernel keeps its own.
  const size_t items = kWords;
  ASSERT_EQ(clEnqueueFillBuffer(queue_, a, &items, 4, 0, kBytes, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, put, 1, nullptr, &items, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(read(a), Words(kWords, 1));
}

TEST_F(CommandBufferMutableTest, WhatIsEnqueuedStaysAsItWas) {
  for (const bool isGraph : {false, true}) {
    Owned<cl_command_queue> loose = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    Owned<cl_mem> sum = makeWords({0});
    Owned<cl_kernel> count = kernel("count", sum, 1);
    cl_mutable_command_khr handle = nullptr;
    TestBuffer buffer = makeCommandBuffer(
        {isGraph ? loose.get() : queue_.get()},
        {CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0});
    buffer.launch(count, 1, {.handle = &handle});
    buffer.launch(count, 1);
    buffer.finalize();
    Owned<cl_event> gate = makeUserEvent();
    cl_uint expected = 0;
    for (cl_uint i = 1; i <= 20; ++i) {
      ASSERT_EQ(updateNumber(buffer, handle, i * 100), CL_SUCCESS);
      buffer.enqueue(nullptr, {gate.get()});
      expected += i * 100 + 1;
    }
    ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    ASSERT_EQ(clFinish(isGraph ? loose : queue_), CL_SUCCESS);
    EXPECT_EQ(read(sum), Words{expected});
  }
}

TEST_F(CommandBufferMutableTest, SizesAndOffsetsChange) {
  Owned<cl_mem> words = makeWords(Words(kWords, 0));
  Owned<cl_kernel> sizes = kernel("sizes", words, 0);
  cl_mutable_command_khr handle = nullptr;
  TestBuffer buffer = makeMutable();
  const size_t global = 8, local = 4;
  ASSERT_EQ(calls_->clCommandNDRangeKernelKHR(buffer, nullptr, nullptr, sizes, 1, nullptr, &global, &local, 0, nullptr,
                                              nullptr, &handle),
            CL_SUCCESS);
  buffer.finalize();
  EXPECT_EQ(commandInfo<cl_uint>(handle, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR), 1u);
  EXPECT_EQ(sizesOf(handle, CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR), std::vector<size_t>{0});
  EXPECT_EQ(sizesOf(handle, CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR), std::vector<size_t>{8});
  EXPECT_EQ(sizesOf(handle, CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR), std::vector<size_t>{4});
  const auto expectSizes = [&](size_t items, cl_uint value) {
    const cl_uint zero = 0;
    ASSERT_EQ(clEnqueueFillBuffer(queue_, words, &zero, 4, 0, kBytes, 0, nullptr, nullptr), CL_SUCCESS);
    buffer.enqueue();
    Words expected(kWords, 0);
    std::fill_n(expected.begin(), items, value);
    EXPECT_EQ(read(words), expected);
  };
  expectSizes(8, 80400);
  const size_t more = 12, wider = 6, offset = 7;
  Config config = forCommand(handle);
  config.global_work_size = &more;
  ASSERT_EQ(update(buffer, {config}), CL_SUCCESS);
  expectSizes(12, 120400);
  config = forCommand(handle);
  config.work_dim = 1;
  config.local_work_size = &wider;
  config.global_work_offset = &offset;
  ASSERT_EQ(update(buffer, {config}), CL_SUCCESS);
  expectSizes(12, 120607);
  EXPECT_EQ(sizesOf(handle, CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR), std::vector<size_t>{7});
  EXPECT_EQ(sizesOf(handle, CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR), std::vector<size_t>{12});
  EXPECT_EQ(sizesOf(handle, CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR), std::vector<size_t>{6});
  // None at all, and some again.
  const size_t none = 0;
  config = forCommand(handle);
  config.global_work_size = &none;
  ASSERT_EQ(update(buffer, {config}), CL_SUCCESS);
  expectSizes(0, 0);
  config.global_work_size = &wider;
  ASSERT_EQ(update(buffer, {config}), CL_SUCCESS);
  expectSizes(6, 60607);
}

TEST_F(CommandBufferMutableTest, AllOrNothing) {
  Owned<cl_mem> words = makeWords(Words(kWords, 0));
  Owned<cl_kernel> put = kernel("put", words, 1);
  cl_mutable_command_khr first = nullptr, second = nullptr;
  TestBuffer buffer = makeMutable();
  buffer.launch(put, kWords, {.handle = &first});
  buffer.launch(put, kWords / 2, {.handle = &second});
  buffer.finalize();
  const cl_uint two = 2, three = 3;
  const Argument good{1, sizeof two, &two}, over{1, sizeof three, &three}, bad{7, sizeof two, &two};
  Config a = forCommand(first), b = forCommand(second);
  a.num_args = b.num_args = 1;
  a.arg_list = &good;
  b.arg_list = &bad;
  EXPECT_EQ(update(buffer, {a, b}), CL_INVALID_ARG_INDEX);
  buffer.enqueue();
  EXPECT_EQ(read(words), Words(kWords, 1)) << "nothing of it";
  // Several of one command: the later come on top.
  Config c = forCommand(first);
  const size_t fewer = 4;
  c.global_work_size = &fewer;
  b.arg_list = &over;
  Config d = forCommand(first);
  d.num_args = 1;
  d.arg_list = &over;
  EXPECT_EQ(update(buffer, {a, c, d, b}), CL_SUCCESS);
  const cl_uint zero = 0;
  ASSERT_EQ(clEnqueueFillBuffer(queue_, words, &zero, 4, 0, kBytes, 0, nullptr, nullptr), CL_SUCCESS);
  buffer.enqueue();
  Words expected(kWords, 0);
  std::fill_n(expected.begin(), kWords / 2, 3);
  EXPECT_EQ(read(words), expected);
  EXPECT_EQ(sizesOf(first, CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR), std::vector<size_t>{4});
  EXPECT_EQ(calls_->clUpdateMutableCommandsKHR(buffer, 0, nullptr, nullptr), CL_SUCCESS);
}

TEST_F(CommandBufferMutableTest, ArgumentsThatAreSetLater) {
  Owned<cl_mem> words = makeWords(Words(kWords, 0));
  Owned<cl_kernel> put = kernel("put", nullptr, 0);
  const Fields arguments = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, 0};
  cl_mutable_command_khr first = nullptr, second = nullptr;
  TestBuffer buffer = makeMutable();
  buffer.launch(put, kWords, {.properties = arguments, .handle = &first});
  buffer.launch(put, 1, {.properties = arguments, .handle = &second});
  EXPECT_EQ(buffer.state(), cl_uint{CL_COMMAND_BUFFER_STATE_RECORDING_KHR});
  buffer.finalize();
  EXPECT_EQ(buffer.state(), cl_uint{CL_COMMAND_BUFFER_STATE_FINALIZED_KHR});
  EXPECT_EQ(calls_->clEnqueueCommandBufferKHR(0, nullptr, buffer, 0, nullptr, nullptr), CL_INVALID_OPERATION);
  for (const cl_mutable_command_khr each : {first, second}) {
    ASSERT_EQ(updateNumber(buffer, each, each == first ? 5 : 6), CL_SUCCESS);
    EXPECT_EQ(buffer.state(), cl_uint{CL_COMMAND_BUFFER_STATE_FINALIZED_KHR});
    ASSERT_EQ(updateBuffer(buffer, each, words), CL_SUCCESS);
  }
  EXPECT_EQ(buffer.state(), cl_uint{CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR});
  buffer.enqueue();
  Words expected(kWords, 5);
  expected[0] = 6;
  EXPECT_EQ(read(words), expected);
}

TEST_F(CommandBufferMutableTest, SharedMemoryAndWhatKernelsReach) {
  CLOTHO_NEEDS(hasSharedMemory());
  Owned<cl_kernel> through = makeKernel("kernel void through(global uint* global* list, uint number) {"
                                        "  list[0][get_global_id(0)] = number; }",
                                        "through", "-cl-std=CL3.0");
  auto* list = static_cast<cl_uint**>(clSVMAlloc(context_, CL_MEM_READ_WRITE, 2 * sizeof(cl_uint*), 0));
  auto* words = static_cast<cl_uint*>(clSVMAlloc(context_, CL_MEM_READ_WRITE, 2 * kBytes, 0));
  ASSERT_TRUE(list && words);
  cl_uint* const more = words + kWords;
  ASSERT_EQ(clEnqueueSVMMap(queue_, CL_TRUE, CL_MAP_WRITE, static_cast<void*>(list), 2 * sizeof(cl_uint*), 0, nullptr,
                            nullptr),
            CL_SUCCESS);
  list[0] = words;
  list[1] = more;
  ASSERT_EQ(clEnqueueSVMUnmap(queue_, static_cast<void*>(list), 0, nullptr, nullptr), CL_SUCCESS);
  const cl_uint number = 8;
  ASSERT_EQ(clSetKernelArgSVMPointer(through, 0, static_cast<void*>(list)), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(through, 1, sizeof number, &number), CL_SUCCESS);
  cl_mutable_command_khr handle = nullptr;
  TestBuffer buffer = makeMutable();
  buffer.launch(through, kWords, {.handle = &handle});
  buffer.finalize();
  // Without being told, a far device does not reach the words.
  const void* reached[] = {words};
  const khr::cl_mutable_dispatch_exec_info_khr exec{CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof reached,
                                                    static_cast<const void*>(reached)};
  const Argument second{0, 0, static_cast<const void*>(list + 1)};
  Config config = forCommand(handle);
  config.num_exec_infos = 1;
  config.exec_info_list = &exec;
  config.num_svm_args = 1;
  config.arg_svm_list = &second;
  ASSERT_EQ(update(buffer, {config}), CL_SUCCESS);
  Owned<cl_event> done;
  buffer.enqueue(done.out());
  const cl_event event = done;
  EXPECT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
  ASSERT_EQ(clEnqueueSVMMap(queue_, CL_TRUE, CL_MAP_READ, words, 2 * kBytes, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(Words(more, more + kWords), Words(kWords, 8));
  ASSERT_EQ(clEnqueueSVMUnmap(queue_, words, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  clSVMFree(context_, words);
  clSVMFree(context_, static_cast<void*>(list));
}

TEST_F(CommandBufferMutableTest, ABufferMayGoOnceNoLaunchUsesIt) {
  Owned<cl_mem> a = makeWords(Words(kWords, 0)), b = makeWords(Words(kWords, 0));
  Owned<cl_kernel> put = kernel("put", a, 1);
  cl_mutable_command_khr handle = nullptr;
  TestBuffer buffer = makeMutable();
  buffer.launch(put, kWords, {.handle = &handle});
  buffer.finalize();
  buffer.enqueue();
  ASSERT_EQ(updateBuffer(buffer, handle, b), CL_SUCCESS);
  a = {};
  for (cl_uint i = 2; i < 5; ++i) {
    ASSERT_EQ(updateNumber(buffer, handle, i), CL_SUCCESS);
    buffer.enqueue();
    EXPECT_EQ(read(b), Words(kWords, i));
  }
}

TEST_F(CommandBufferMutableTest, QueriesOfACommand) {
  Owned<cl_mem> words = makeWords(Words(kWords, 0));
  Owned<cl_kernel> put = kernel("put", words, 1);
  const Fields fields = {CL_MUTABLE_DISPATCH_ASSERTS_KHR, CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR,
                         CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, 0};
  const size_t offset[3] = {1, 2, 3}, global[3] = {4, 2, 2}, local[3] = {2, 2, 1};
  cl_mutable_command_khr handle = nullptr, plain = nullptr;
  TestBuffer buffer = makeMutable();
  ASSERT_EQ(calls_->clCommandNDRangeKernelKHR(buffer, nullptr, fields.data(), put, 3, offset, global, local, 0, nullptr,
                                              nullptr, &handle),
            CL_SUCCESS);
  ASSERT_EQ(calls_->clCommandNDRangeKernelKHR(buffer, nullptr, nullptr, put, 2, nullptr, global, nullptr, 0, nullptr,
                                              nullptr, &plain),
            CL_SUCCESS);
  EXPECT_EQ(commandInfo<cl_command_queue>(handle, CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR), queue_.get());
  EXPECT_EQ(commandInfo<cl_command_buffer_khr>(handle, CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR),
            static_cast<cl_command_buffer_khr>(buffer));
  EXPECT_EQ(commandInfo<cl_command_type>(handle, CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR),
            cl_command_type{CL_COMMAND_NDRANGE_KERNEL});
  EXPECT_EQ(commandInfo<cl_kernel>(handle, CL_MUTABLE_DISPATCH_KERNEL_KHR), put.get());
  EXPECT_EQ(listAnswer<khr::cl_command_properties_khr>(
                CLOTHO_INFO(calls_->clGetMutableCommandInfoKHR, handle, CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR)),
            fields);
  EXPECT_TRUE(
      answer(CLOTHO_INFO(calls_->clGetMutableCommandInfoKHR, plain, CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR)).empty());
  EXPECT_EQ(sizesOf(handle, CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR), (std::vector<size_t>{1, 2, 3}));
  EXPECT_EQ(sizesOf(handle, CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR), (std::vector<size_t>{4, 2, 2}));
  EXPECT_EQ(sizesOf(handle, CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR), (std::vector<size_t>{2, 2, 1}));
  EXPECT_EQ(commandInfo<cl_uint>(plain, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR), 2u);
  EXPECT_EQ(sizesOf(plain, CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR), (std::vector<size_t>{0, 0}));
  EXPECT_EQ(sizesOf(plain, CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR), (std::vector<size_t>{0, 0}));
  checkInfoProtocol(
      [&](cl_uint name, size_t size, void* value, size_t* returned) {
        return calls_->clGetMutableCommandInfoKHR(handle, name, size, value, returned);
      },
      CL_MUTABLE_DISPATCH_DIMENSIONS_KHR);
  buffer = {};
  cl_uint value = 0;
  EXPECT_EQ(
      calls_->clGetMutableCommandInfoKHR(handle, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, sizeof value, &value, nullptr),
      CL_INVALID_MUTABLE_COMMAND_KHR)
      << "it goes with its command buffer";
}

TEST_F(CommandBufferMutableTest, ErrorsOfUpdates) {
  Owned<cl_mem> words = makeWords(Words(kWords, 0));
  Owned<cl_kernel> put = kernel("put", words, 1);
  cl_mutable_command_khr handle = nullptr, other = nullptr, fixed = nullptr;
  TestBuffer recording = makeMutable(), immutable = makeCommandBuffer(), buffer = makeMutable();
  recording.launch(put, kWords, {.handle = &other});
  buffer.launch(put, kWords, {.handle = &handle, .local = 4});
  buffer.launch(put, kWords, {.properties = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, 0, 0}, .handle = &fixed});
  immutable.finalize();
  buffer.finalize();
  EXPECT_EQ(update(nullptr, {forCommand(handle)}), CL_INVALID_COMMAND_BUFFER_KHR);
  EXPECT_EQ(update(recording, {forCommand(other)}), CL_INVALID_OPERATION) << "not finalized";
  EXPECT_EQ(update(immutable, {forCommand(handle)}), CL_INVALID_OPERATION) << "not mutable";
  EXPECT_EQ(update(buffer, {forCommand(other)}), CL_INVALID_MUTABLE_COMMAND_KHR);
  EXPECT_EQ(update(buffer, {forCommand(nullptr)}), CL_INVALID_MUTABLE_COMMAND_KHR);

  const Config empty = forCommand(handle);
  const void* list[] = {&empty, nullptr};
  const khr::cl_command_buffer_update_type_khr types[] = {CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR, 77};
  EXPECT_EQ(calls_->clUpdateMutableCommandsKHR(buffer, 1, types, list), CL_SUCCESS);
  EXPECT_EQ(calls_->clUpdateMutableCommandsKHR(buffer, 1, nullptr, list), CL_INVALID_VALUE);
  EXPECT_EQ(calls_->clUpdateMutableCommandsKHR(buffer, 0, types, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(calls_->clUpdateMutableCommandsKHR(buffer, 1, types, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(calls_->clUpdateMutableCommandsKHR(buffer, 0, nullptr, list), CL_INVALID_VALUE);
  EXPECT_EQ(calls_->clUpdateMutableCommandsKHR(buffer, 1, types + 1, list), CL_INVALID_VALUE) << "unknown type";
  EXPECT_EQ(calls_->clUpdateMutableCommandsKHR(buffer, 1, types, list + 1), CL_INVALID_VALUE) << "no config";

  const cl_uint number = 3;
  const Argument argument{1, sizeof number, &number}, pointer{0, 0, nullptr};
  const khr::cl_mutable_dispatch_exec_info_khr exec{CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, nullptr};
  const std::array<size_t, 3> sizes{16, 1, 1}, uneven{15, 1, 1}, huge{1 << 20, 1, 1};
  const auto with = [&](cl_mutable_command_khr command, auto&& change) {
    Config config = forCommand(command);
    change(config);
    return update(buffer, {config});
  };
  EXPECT_EQ(with(handle, [&](Config& c) { c.num_args = 1; }), CL_INVALID_VALUE);
  EXPECT_EQ(with(handle, [&](Config& c) { c.arg_list = &argument; }), CL_INVALID_VALUE);
  EXPECT_EQ(with(handle, [&](Config& c) { c.num_svm_args = 1; }), CL_INVALID_VALUE);
  EXPECT_EQ(with(handle, [&](Config& c) { c.arg_svm_list = &pointer; }), CL_INVALID_VALUE);
  EXPECT_EQ(with(handle, [&](Config& c) { c.num_exec_infos = 1; }), CL_INVALID_VALUE);
  EXPECT_EQ(with(handle, [&](Config& c) { c.exec_info_list = &exec; }), CL_INVALID_VALUE);
  EXPECT_EQ(with(handle, [&](Config& c) { c.work_dim = 2; }), CL_INVALID_OPERATION);
  EXPECT_EQ(with(fixed, [&](Config& c) { c.global_work_offset = sizes.data(); }), CL_INVALID_OPERATION);
  EXPECT_EQ(with(fixed, [&](Config& c) { c.global_work_size = sizes.data(); }), CL_INVALID_OPERATION);
  EXPECT_EQ(with(fixed, [&](Config& c) { c.local_work_size = sizes.data(); }), CL_INVALID_OPERATION);
  EXPECT_EQ(with(fixed, [&](Config& c) { c.num_args = 1, c.arg_list = &argument; }), CL_INVALID_OPERATION);
  EXPECT_EQ(with(fixed, [&](Config& c) { c.num_svm_args = 1, c.arg_svm_list = &pointer; }), CL_INVALID_OPERATION);
  EXPECT_EQ(with(fixed, [&](Config& c) { c.num_exec_infos = 1, c.exec_info_list = &exec; }), CL_INVALID_OPERATION);
  // Those of launches and of arguments.
  EXPECT_EQ(with(handle, [&](Config& c) { c.global_work_size = uneven.data(); }), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(with(handle, [&](Config& c) { c.local_work_size = huge.data(); }), CL_INVALID_WORK_ITEM_SIZE);
  const Argument wrongSize{1, 2, &number}, wrongIndex{2, sizeof number, &number}, wrongPointer{1, 0, nullptr};
  EXPECT_EQ(with(handle, [&](Config& c) { c.num_args = 1, c.arg_list = &wrongSize; }), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(with(handle, [&](Config& c) { c.num_args = 1, c.arg_list = &wrongIndex; }), CL_INVALID_ARG_INDEX);
  EXPECT_EQ(with(handle, [&](Config& c) { c.num_svm_args = 1, c.arg_svm_list = &wrongPointer; }),
            hasSharedMemory() ? CL_INVALID_ARG_VALUE : CL_INVALID_OPERATION);
  const khr::cl_mutable_dispatch_exec_info_khr unknown{0x7777, 0, nullptr};
  EXPECT_EQ(with(handle, [&](Config& c) { c.num_exec_infos = 1, c.exec_info_list = &unknown; }), CL_INVALID_VALUE);
  buffer.enqueue();
  EXPECT_EQ(read(words), Words(kWords, 1)) << "as it was recorded";
}

TEST_F(CommandBufferMutableTest, WorkGroupsOfOneSizeStaySo) {
  Owned<cl_program> later = buildProgram("kernel void put(global uint* words, uint number) {"
                                         "  words[get_global_id(0)] = number; }",
                                         "-cl-std=CL3.0");
  cl_int status = 1;
  Owned<cl_kernel> put = clCreateKernel(later, "put", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_mem> words = makeWords(Words(kWords, 0));
  set(put, words, 4);
  cl_mutable_command_khr even = nullptr, uneven = nullptr;
  TestBuffer buffer = makeMutable();
  buffer.launch(put, 16, {.handle = &even, .local = 8});
  buffer.launch(put, 15, {.handle = &uneven, .local = 8});
  buffer.finalize();
  const size_t sixteen = 16, fourteen = 14, seven = 7;
  Config config = forCommand(even);
  config.global_work_size = &fourteen;
  EXPECT_EQ(update(buffer, {config}), CL_INVALID_OPERATION);
  config.local_work_size = &seven;
  EXPECT_EQ(update(buffer, {config}), CL_SUCCESS);
  config = forCommand(uneven);
  config.global_work_size = &sixteen;
  EXPECT_EQ(update(buffer, {config}), CL_INVALID_OPERATION);
  config.local_work_size = &seven;
  EXPECT_EQ(update(buffer, {config}), CL_SUCCESS);
  buffer.enqueue();
  Words expected(kWords, 0);
  std::fill_n(expected.begin(), 16, 4);
  EXPECT_EQ(read(words), expected);
}

TEST_F(CommandBufferMutableTest, ThreadsThatUpdateAndEnqueue) {
  Owned<cl_mem> sum = makeWords({0});
  Owned<cl_kernel> count = kernel("count", sum, 1);
  cl_mutable_command_khr handle = nullptr;
  TestBuffer buffer =
      makeMutable(CL_COMMAND_BUFFER_MUTABLE_KHR | cl_command_buffer_flags_khr{CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR});
  buffer.launch(count, 1, {.handle = &handle});
  buffer.finalize();
  std::thread updates([&] {
    const size_t one = 1;
    for (int i = 0; i < 300; ++i) {
      Config config = forCommand(handle);
      config.global_work_size = &one;
      EXPECT_EQ(update(buffer, {config}), CL_SUCCESS);
    }
  });
  for (int i = 0; i < 300; ++i)
    buffer.enqueue();
  updates.join();
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(read(sum), Words{300});
}

} // namespace

} // namespace clotho::test
