// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queues on devices as the host sees them: it makes them, asks about them and gives them to kernels, and may do nothing
// else with them.
#include "fixture.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

namespace clotho::test {

namespace {

constexpr cl_queue_properties kOnDevice = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
constexpr cl_queue_properties kDefault = kOnDevice | CL_QUEUE_ON_DEVICE_DEFAULT;

using Properties = std::vector<cl_queue_properties>;
using Queue = Owned<cl_command_queue>;

class OnDeviceQueueTest : public DeviceApi {
 protected:
  void SetUp() override {
    Api::SetUp();
    if (!hasDeviceQueues()) GTEST_SKIP() << "the device has no queues of its own";
  }

  Queue make(const Properties& list, cl_int expected = CL_SUCCESS, cl_context context = nullptr,
             cl_device_id device = nullptr) {
    cl_int status = 1;
    Queue queue = clCreateCommandQueueWithProperties(context ? context : context_.get(), device ? device : device_,
                                                     list.data(), &status);
    EXPECT_EQ(status, expected);
    EXPECT_EQ(queue.get() == nullptr, status != CL_SUCCESS);
    return queue;
  }
  template <class T> static T info(cl_command_queue queue, cl_command_queue_info name) {
    return valueAnswer<T>(CLOTHO_INFO(clGetCommandQueueInfo, queue, name));
  }
  static cl_uint references(cl_command_queue queue) { return info<cl_uint>(queue, CL_QUEUE_REFERENCE_COUNT); }
  /// As any other queue of the same device tells.
  cl_command_queue defaultNow() { return info<cl_command_queue>(queue_, CL_QUEUE_DEVICE_DEFAULT); }
};

TEST_F(OnDeviceQueueTest, TheDeviceSaysWhatItHas) {
  EXPECT_EQ(value<cl_device_device_enqueue_capabilities>(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES),
            cl_bitfield{CL_DEVICE_QUEUE_SUPPORTED | CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT});
  EXPECT_EQ(value<cl_command_queue_properties>(CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES),
            cl_bitfield{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE});
  const auto preferred = value<cl_uint>(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE);
  EXPECT_GE(preferred, 16u << 10);
  EXPECT_GE(value<cl_uint>(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE), std::max(preferred, 256u << 10));
  EXPECT_GE(value<cl_uint>(CL_DEVICE_MAX_ON_DEVICE_QUEUES), 1u);
  EXPECT_GE(value<cl_uint>(CL_DEVICE_MAX_ON_DEVICE_EVENTS), 1024u);
}

TEST_F(OnDeviceQueueTest, PropertyErrors) {
  const auto most = value<cl_uint>(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE);
  make({CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE, 0}, CL_INVALID_VALUE);
  make({CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT, 0}, CL_INVALID_VALUE);
  make({CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE_DEFAULT, 0}, CL_INVALID_VALUE);
  make({CL_QUEUE_PROPERTIES, kOnDevice | 1u << 20, 0}, CL_INVALID_VALUE);
  make({CL_QUEUE_PROPERTIES, kOnDevice, CL_QUEUE_PROPERTIES, kOnDevice, 0}, CL_INVALID_VALUE);
  make({CL_QUEUE_PROPERTIES, kOnDevice, CL_QUEUE_SIZE, 1024, CL_QUEUE_SIZE, 1024, 0}, CL_INVALID_VALUE);
  make({CL_QUEUE_PROPERTIES, kOnDevice, CL_QUEUE_SIZE, cl_queue_properties{most} + 1, 0}, CL_INVALID_VALUE);
  make({CL_QUEUE_PROPERTIES, kOnDevice, CL_QUEUE_SIZE, (cl_queue_properties{1} << 32) + 1024, 0}, CL_INVALID_VALUE);
  make({CL_QUEUE_SIZE, 1024, 0}, CL_INVALID_VALUE);
  make({CL_QUEUE_SIZE, 1024, CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0}, CL_INVALID_VALUE);
  // The hints' extensions are about queues of the host.
  make({CL_QUEUE_PROPERTIES, kOnDevice, CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR, 0},
       CL_INVALID_QUEUE_PROPERTIES);
  make({CL_QUEUE_PROPERTIES, kOnDevice, CL_QUEUE_THROTTLE_KHR, CL_QUEUE_THROTTLE_LOW_KHR, 0},
       CL_INVALID_QUEUE_PROPERTIES);
  EXPECT_EQ(defaultNow(), nullptr) << "of what was refused nothing is left";
}

TEST_F(OnDeviceQueueTest, Info) {
  const auto preferred = value<cl_uint>(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE),
             most = value<cl_uint>(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE);
  const Queue plain = make({CL_QUEUE_PROPERTIES, kOnDevice, 0});
  EXPECT_EQ(info<cl_context>(plain, CL_QUEUE_CONTEXT), context_.get());
  EXPECT_EQ(info<cl_device_id>(plain, CL_QUEUE_DEVICE), device_);
  EXPECT_EQ(info<cl_command_queue_properties>(plain, CL_QUEUE_PROPERTIES), kOnDevice);
  EXPECT_EQ(info<cl_uint>(plain, CL_QUEUE_SIZE), preferred);
  EXPECT_EQ(info<cl_command_queue>(plain, CL_QUEUE_DEVICE_DEFAULT), nullptr);
  checkInfoProtocol([&](cl_uint name, size_t bytes, void* value,
                        size_t* ret) { return clGetCommandQueueInfo(plain, name, bytes, value, ret); },
                    CL_QUEUE_SIZE);

  for (cl_uint size : {1u, 124u, preferred - 1024, most}) {
    const Properties list = {CL_QUEUE_SIZE, size, CL_QUEUE_PROPERTIES, kDefault | CL_QUEUE_PROFILING_ENABLE, 0};
    const Queue queue = make(list);
    EXPECT_EQ(info<cl_uint>(queue, CL_QUEUE_SIZE), size);
    EXPECT_EQ(info<cl_command_queue_properties>(queue, CL_QUEUE_PROPERTIES), kDefault | CL_QUEUE_PROFILING_ENABLE);
    EXPECT_EQ(listAnswer<cl_queue_properties>(CLOTHO_INFO(clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES_ARRAY)),
              list);
    EXPECT_EQ(info<cl_command_queue>(queue, CL_QUEUE_DEVICE_DEFAULT), queue.get());
  }
}

TEST_F(OnDeviceQueueTest, CountsReferences) {
  Queue queue = make({CL_QUEUE_PROPERTIES, kOnDevice, 0});
  EXPECT_EQ(references(queue), 1u);
  EXPECT_EQ(clRetainCommandQueue(queue), CL_SUCCESS);
  EXPECT_EQ(references(queue), 2u);
  EXPECT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
  EXPECT_EQ(references(queue), 1u);
  // It keeps its context, which the application has no other reference to.
  Owned<cl_context> context = makeContext();
  Queue other = make({CL_QUEUE_PROPERTIES, kOnDevice, 0}, CL_SUCCESS, context);
  cl_context raw = context;
  EXPECT_EQ(clReleaseContext(context.take()), CL_SUCCESS);
  EXPECT_EQ(info<cl_context>(other, CL_QUEUE_CONTEXT), raw);
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetContextInfo, raw, CL_CONTEXT_REFERENCE_COUNT)), 0u);

  cl_command_queue gone = queue;
  EXPECT_EQ(clReleaseCommandQueue(queue.take()), CL_SUCCESS);
  EXPECT_EQ(clRetainCommandQueue(gone), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clReleaseCommandQueue(gone), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clGetCommandQueueInfo(gone, CL_QUEUE_SIZE, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
}

TEST_F(OnDeviceQueueTest, TheDefaultIsMadeOnce) {
  EXPECT_EQ(defaultNow(), nullptr);
  Queue first = make({CL_QUEUE_PROPERTIES, kDefault, CL_QUEUE_SIZE, 4096, 0});
  EXPECT_EQ(defaultNow(), first.get());
  Queue again = make({CL_QUEUE_PROPERTIES, kDefault | CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_SIZE, 8192, 0});
  EXPECT_EQ(again.get(), first.get());
  EXPECT_EQ(references(first), 2u);
  EXPECT_EQ(info<cl_uint>(again, CL_QUEUE_SIZE), 4096u) << "of the first that was made";
  EXPECT_EQ(info<cl_command_queue_properties>(again, CL_QUEUE_PROPERTIES), kDefault);
  make({CL_QUEUE_PROPERTIES, kDefault, CL_QUEUE_SIZE, ~cl_uint{0}, 0}, CL_INVALID_VALUE);
  EXPECT_EQ(references(first), 2u);

  // Others are other queues, and so are those of another context.
  const Queue plain = make({CL_QUEUE_PROPERTIES, kOnDevice, 0});
  EXPECT_NE(plain.get(), first.get());
  EXPECT_EQ(info<cl_command_queue>(plain, CL_QUEUE_DEVICE_DEFAULT), first.get());
  const Owned<cl_context> context = makeContext();
  const Queue elsewhere = make({CL_QUEUE_PROPERTIES, kDefault, 0}, CL_SUCCESS, context);
  EXPECT_NE(elsewhere.get(), first.get());
  EXPECT_EQ(defaultNow(), first.get());

  again = Queue();
  EXPECT_EQ(references(first), 1u);
  EXPECT_EQ(defaultNow(), first.get());
  first = Queue();
  EXPECT_EQ(defaultNow(), nullptr) << "nobody keeps it but the application";
  const Queue next = make({CL_QUEUE_PROPERTIES, kDefault, CL_QUEUE_SIZE, 8192, 0});
  EXPECT_EQ(defaultNow(), next.get());
  EXPECT_EQ(info<cl_uint>(next, CL_QUEUE_SIZE), 8192u);
}

TEST_F(OnDeviceQueueTest, TheDefaultIsReplaced) {
  const Queue first = make({CL_QUEUE_PROPERTIES, kDefault, 0});
  Queue second = make({CL_QUEUE_PROPERTIES, kOnDevice, 0});
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(context_, device_, second), CL_SUCCESS);
  EXPECT_EQ(defaultNow(), second.get());
  EXPECT_EQ(references(second), 1u);
  EXPECT_EQ(info<cl_command_queue_properties>(second, CL_QUEUE_PROPERTIES), kOnDevice) << "as it was made";
  EXPECT_EQ(make({CL_QUEUE_PROPERTIES, kDefault, 0}).get(), second.get()) << "what is the default now";
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(context_, device_, first), CL_SUCCESS);
  EXPECT_EQ(defaultNow(), first.get());
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(context_, device_, second), CL_SUCCESS);
  second = Queue();
  EXPECT_EQ(defaultNow(), nullptr);
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(context_, device_, first), CL_SUCCESS);
  EXPECT_EQ(defaultNow(), first.get());
}

TEST_F(OnDeviceQueueTest, OnlyAQueueOnTheDeviceBecomesItsDefault) {
  const Queue first = make({CL_QUEUE_PROPERTIES, kDefault, 0});
  const Owned<cl_context> context = makeContext();
  const Queue elsewhere = make({CL_QUEUE_PROPERTIES, kOnDevice, 0}, CL_SUCCESS, context);
  Queue owned = make({CL_QUEUE_PROPERTIES, kOnDevice, 0});
  cl_command_queue gone = owned;
  ASSERT_EQ(clReleaseCommandQueue(owned.take()), CL_SUCCESS);
  Foreign<cl_command_queue> foreign(device_);
  const Queue outOfOrder = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  for (cl_command_queue bad : {cl_command_queue{}, queue_.get(), outOfOrder.get(), elsewhere.get(), gone,
                               static_cast<cl_command_queue>(foreign)})
    EXPECT_EQ(clSetDefaultDeviceCommandQueue(context_, device_, bad), CL_INVALID_COMMAND_QUEUE);
  Foreign<cl_context> foreignContext(device_);
  Foreign<cl_device_id> foreignDevice(device_);
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(foreignContext, device_, first), CL_INVALID_CONTEXT);
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(context_, foreignDevice, first), CL_INVALID_DEVICE);
  EXPECT_EQ(defaultNow(), first.get());
}

TEST_F(OnDeviceQueueTest, EachSubDeviceHasADefaultOfItsOwn) {
  if (!hasSubDevices()) GTEST_SKIP() << "there are no sub-devices";
  const cl_device_partition_property each[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END,
                                               0};
  cl_device_id part = nullptr;
  ASSERT_EQ(clCreateSubDevices(device_, each, 1, &part, nullptr), CL_SUCCESS);
  const cl_device_id devices[] = {device_, part};
  cl_int status = 1;
  Owned<cl_context> context = clCreateContext(nullptr, 2, devices, nullptr, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  const Queue whole = make({CL_QUEUE_PROPERTIES, kDefault, 0}, CL_SUCCESS, context),
              ofPart = make({CL_QUEUE_PROPERTIES, kDefault, 0}, CL_SUCCESS, context, part);
  EXPECT_NE(whole.get(), ofPart.get());
  EXPECT_EQ(info<cl_device_id>(ofPart, CL_QUEUE_DEVICE), part);
  EXPECT_EQ(info<cl_command_queue>(ofPart, CL_QUEUE_DEVICE_DEFAULT), ofPart.get());
  EXPECT_EQ(info<cl_command_queue>(whole, CL_QUEUE_DEVICE_DEFAULT), whole.get());
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(context, device_, ofPart), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(context_, part, ofPart), CL_INVALID_DEVICE);
  make({CL_QUEUE_PROPERTIES, kDefault, 0}, CL_INVALID_DEVICE, context_, part);
  EXPECT_EQ(clReleaseDevice(part), CL_SUCCESS);
}

TEST_F(OnDeviceQueueTest, ThereAreAsManyAsTheDeviceSays) {
  const auto most = value<cl_uint>(CL_DEVICE_MAX_ON_DEVICE_QUEUES);
  std::vector<Queue> queues;
  for (cl_uint i = 0; i < most; ++i)
    queues.push_back(make({CL_QUEUE_PROPERTIES, kOnDevice, CL_QUEUE_SIZE, 1, 0}));
  make({CL_QUEUE_PROPERTIES, kOnDevice, 0}, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(defaultNow(), nullptr);
  const Owned<cl_context> context = makeContext();
  make({CL_QUEUE_PROPERTIES, kOnDevice, 0}, CL_SUCCESS, context);
  queues.pop_back();
  queues.push_back(make({CL_QUEUE_PROPERTIES, kOnDevice, 0}));
  // The default queue is one beside these.
  const Queue byDefault = make({CL_QUEUE_PROPERTIES, kDefault, 0});
  make({CL_QUEUE_PROPERTIES, kOnDevice, 0}, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(make({CL_QUEUE_PROPERTIES, kDefault, 0}).get(), byDefault.get()) << "which is no further one";
}

TEST_F(OnDeviceQueueTest, TheHostCannotUseIt) {
  const Queue queue = make({CL_QUEUE_PROPERTIES, kOnDevice, 0});
  EXPECT_EQ(clFlush(queue), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clFinish(queue), CL_INVALID_COMMAND_QUEUE);
  Owned<cl_event> event;
  EXPECT_EQ(clEnqueueMarker(queue, event.out()), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueBarrier(queue), CL_INVALID_COMMAND_QUEUE);
  const Owned<cl_event> user = makeUserEvent();
  const cl_event list[] = {user};
  EXPECT_EQ(clEnqueueWaitForEvents(queue, 1, list), CL_INVALID_COMMAND_QUEUE);
  void* shared = clSVMAlloc(context_, CL_MEM_READ_WRITE, 64, 0);
  ASSERT_NE(shared, nullptr);
  EXPECT_EQ(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, shared, 64, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueSVMUnmap(queue, shared, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueSVMFree(queue, 1, &shared, nullptr, nullptr, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
  clSVMFree(context_, shared);
  // No device supports clSetCommandQueueProperty any more.
  EXPECT_EQ(clSetCommandQueueProperty(queue, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, nullptr), CL_INVALID_OPERATION);
  EXPECT_EQ(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
}

TEST_F(OnDeviceQueueTest, ThreadsThatWantTheDefaultGetOne) {
  for (int turn = 0; turn < 20; ++turn) {
    std::array<Queue, 4> queues;
    std::atomic<unsigned> arrived{0};
    std::vector<std::thread> threads;
    for (Queue& queue : queues)
      threads.emplace_back([&] {
        ++arrived;
        while (arrived < queues.size())
          std::this_thread::yield();
        queue = make({CL_QUEUE_PROPERTIES, kDefault, 0});
      });
    for (std::thread& thread : threads)
      thread.join();
    for (const Queue& queue : queues)
      EXPECT_EQ(queue.get(), queues[0].get());
    EXPECT_EQ(references(queues[0]), queues.size());
  }
  EXPECT_EQ(defaultNow(), nullptr);
}

TEST_F(OnDeviceQueueTest, ThreadsMakeAndReplaceTheDefault) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int turn = 0; turn < 200; ++turn) {
        const Queue queue = make({CL_QUEUE_PROPERTIES, i % 2 ? kDefault : kOnDevice, CL_QUEUE_SIZE, 4096, 0});
        EXPECT_EQ(clSetDefaultDeviceCommandQueue(context_, device_, queue), CL_SUCCESS);
        cl_command_queue now = nullptr; // perhaps gone already
        EXPECT_EQ(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE_DEFAULT, sizeof now, &now, nullptr), CL_SUCCESS);
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(defaultNow(), nullptr);
}

// --- As arguments of kernels ---

/// Enqueues one kernel to a queue that is an argument, and one to the default queue where there is one.
constexpr const char* kEnqueues = R"(
kernel void viaArgument(queue_t queue, global int* out) {
  out[0] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), ^{ out[4 + get_global_id(0)] = 7; });
}
kernel void viaDefault(global int* out) {
  out[0] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4),
                          ^{ out[4 + get_global_id(0)] = 7; });
}
)";
constexpr const char* kOptions = "-cl-std=CL3.0 -cl-kernel-arg-info";

class OnDeviceQueueArgumentTest : public OnDeviceQueueTest {
 protected:
  void SetUp() override {
    OnDeviceQueueTest::SetUp();
    if (IsSkipped()) return;
    program_ = buildProgram(kEnqueues, kOptions);
    kernel_ = kernelOf("viaArgument");
    out_ = makeBuffer(8 * sizeof(cl_int));
    clear();
    ASSERT_EQ(setBuffer(kernel_, 1), CL_SUCCESS);
  }
  Owned<cl_kernel> kernelOf(const char* name) {
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program_, name, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return kernel;
  }
  cl_int setBuffer(cl_kernel kernel, cl_uint index) {
    const cl_mem raw = out_;
    return clSetKernelArg(kernel, index, sizeof raw, &raw);
  }
  cl_int setQueue(cl_command_queue queue, size_t size = sizeof(cl_command_queue)) {
    return clSetKernelArg(kernel_, 0, size, &queue);
  }
  cl_int run(cl_kernel kernel, const std::vector<cl_event>& waits = {}) {
    const size_t one = 1;
    return clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, nullptr, static_cast<cl_uint>(waits.size()),
                                  waits.empty() ? nullptr : waits.data(), nullptr);
  }
  void clear() {
    const cl_int value = -1;
    EXPECT_EQ(clEnqueueFillBuffer(queue_, out_, &value, sizeof value, 0, 8 * sizeof value, 0, nullptr, nullptr),
              CL_SUCCESS);
  }
  /// What the kernel was told, once what it has enqueued is done, too; fails the test where that did not run.
  cl_int outcome() {
    std::array<cl_int, 8> seen{};
    EXPECT_EQ(clEnqueueReadBuffer(queue_, out_, CL_TRUE, 0, sizeof seen, seen.data(), 0, nullptr, nullptr), CL_SUCCESS);
    for (std::size_t i = 4; i < seen.size(); ++i)
      EXPECT_EQ(seen[i], seen[0] == 0 ? 7 : -1) << i;
    clear();
    return seen[0];
  }

  Owned<cl_program> program_;
  Owned<cl_kernel> kernel_;
  Owned<cl_mem> out_;
};

TEST_F(OnDeviceQueueArgumentTest, Errors) {
  const Queue queue = make({CL_QUEUE_PROPERTIES, kOnDevice, 0});
  Foreign<cl_command_queue> foreign(device_);
  for (cl_command_queue bad : {cl_command_queue{}, queue_.get(), static_cast<cl_command_queue>(foreign)})
    EXPECT_EQ(setQueue(bad), CL_INVALID_DEVICE_QUEUE);
  EXPECT_EQ(clSetKernelArg(kernel_, 0, sizeof(cl_command_queue), nullptr), CL_INVALID_DEVICE_QUEUE);
  EXPECT_EQ(setQueue(queue, sizeof(cl_command_queue) - 4), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(setQueue(queue, 0), CL_INVALID_ARG_SIZE);
  const Owned<cl_context> context = makeContext();
  EXPECT_EQ(setQueue(make({CL_QUEUE_PROPERTIES, kOnDevice, 0}, CL_SUCCESS, context)), CL_INVALID_CONTEXT);
  EXPECT_EQ(run(kernel_), CL_INVALID_KERNEL_ARGS) << "none of these has set it";
  EXPECT_EQ(setQueue(queue), CL_SUCCESS);
  EXPECT_EQ(setQueue(queue_), CL_INVALID_DEVICE_QUEUE);
  EXPECT_EQ(run(kernel_), CL_SUCCESS) << "it is still the one that was set";
  EXPECT_EQ(outcome(), 0);
}

TEST_F(OnDeviceQueueArgumentTest, Info) {
  const auto text = [&](cl_kernel_arg_info name) {
    return textAnswer(CLOTHO_INFO(clGetKernelArgInfo, kernel_, 0, name));
  };
  EXPECT_EQ(text(CL_KERNEL_ARG_TYPE_NAME), "queue_t");
  EXPECT_EQ(text(CL_KERNEL_ARG_NAME), "queue");
  EXPECT_EQ(valueAnswer<cl_kernel_arg_address_qualifier>(
                CLOTHO_INFO(clGetKernelArgInfo, kernel_, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER)),
            cl_uint{CL_KERNEL_ARG_ADDRESS_PRIVATE});
  EXPECT_EQ(valueAnswer<cl_kernel_arg_access_qualifier>(
                CLOTHO_INFO(clGetKernelArgInfo, kernel_, 0, CL_KERNEL_ARG_ACCESS_QUALIFIER)),
            cl_uint{CL_KERNEL_ARG_ACCESS_NONE});
  EXPECT_EQ(valueAnswer<cl_kernel_arg_type_qualifier>(
                CLOTHO_INFO(clGetKernelArgInfo, kernel_, 0, CL_KERNEL_ARG_TYPE_QUALIFIER)),
            cl_bitfield{CL_KERNEL_ARG_TYPE_NONE});
}

TEST_F(OnDeviceQueueArgumentTest, TheKernelDoesNotKeepItAndTheLaunchDoes) {
  Queue queue = make({CL_QUEUE_PROPERTIES, kOnDevice, 0});
  ASSERT_EQ(setQueue(queue), CL_SUCCESS);
  EXPECT_EQ(references(queue), 1u);
  const Owned<cl_event> gate = makeUserEvent();
  ASSERT_EQ(run(kernel_, {gate}), CL_SUCCESS);
  queue = Queue();
  EXPECT_EQ(run(kernel_), CL_INVALID_DEVICE_QUEUE) << "released";
  EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(outcome(), 0);
  const Queue other = make({CL_QUEUE_PROPERTIES, kOnDevice, 0});
  ASSERT_EQ(setQueue(other), CL_SUCCESS);
  EXPECT_EQ(run(kernel_), CL_SUCCESS);
  EXPECT_EQ(outcome(), 0);
}

TEST_F(OnDeviceQueueArgumentTest, ClonesHaveIt) {
  const Queue queue = make({CL_QUEUE_PROPERTIES, kOnDevice, 0});
  ASSERT_EQ(setQueue(queue), CL_SUCCESS);
  cl_int status = 1;
  const Owned<cl_kernel> clone = clCloneKernel(kernel_, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(run(clone), CL_SUCCESS);
  EXPECT_EQ(outcome(), 0);
}

TEST_F(OnDeviceQueueArgumentTest, LaunchesKeepTheDefaultOfTheirCall) {
  const Owned<cl_kernel> kernel = kernelOf("viaDefault");
  ASSERT_EQ(setBuffer(kernel, 0), CL_SUCCESS);
  EXPECT_EQ(run(kernel), CL_SUCCESS);
  EXPECT_NE(outcome(), 0) << "there is none";
  Queue first = make({CL_QUEUE_PROPERTIES, kDefault, 0});
  EXPECT_EQ(run(kernel), CL_SUCCESS);
  EXPECT_EQ(outcome(), 0);
  const Owned<cl_event> gate = makeUserEvent();
  EXPECT_EQ(run(kernel, {gate}), CL_SUCCESS);
  first = Queue();
  EXPECT_EQ(defaultNow(), nullptr);
  EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(outcome(), 0);
  // A queue that becomes the default later is none for a launch of before.
  const Owned<cl_event> second = makeUserEvent();
  EXPECT_EQ(run(kernel, {second}), CL_SUCCESS);
  const Queue late = make({CL_QUEUE_PROPERTIES, kDefault, 0});
  EXPECT_EQ(clSetUserEventStatus(second, CL_COMPLETE), CL_SUCCESS);
  EXPECT_NE(outcome(), 0);
  EXPECT_EQ(run(kernel), CL_SUCCESS);
  EXPECT_EQ(outcome(), 0);
}

TEST_F(OnDeviceQueueArgumentTest, OfAnotherDeviceIsRefused) {
  if (!hasSubDevices()) GTEST_SKIP() << "there are no sub-devices";
  const cl_device_partition_property each[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END,
                                               0};
  cl_device_id part = nullptr;
  ASSERT_EQ(clCreateSubDevices(device_, each, 1, &part, nullptr), CL_SUCCESS);
  const cl_device_id devices[] = {device_, part};
  cl_int status = 1;
  context_ = clCreateContext(nullptr, 2, devices, nullptr, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  program_ = buildProgram(kEnqueues, kOptions);
  kernel_ = kernelOf("viaArgument");
  const Queue whole = make({CL_QUEUE_PROPERTIES, kOnDevice, 0}),
              ofPart = make({CL_QUEUE_PROPERTIES, kOnDevice, 0}, CL_SUCCESS, nullptr, part);
  for (cl_device_id device : devices) {
    queue_ = clCreateCommandQueueWithProperties(context_, device, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    out_ = makeBuffer(8 * sizeof(cl_int));
    clear();
    ASSERT_EQ(setBuffer(kernel_, 1), CL_SUCCESS);
    const bool isPart = device == part;
    ASSERT_EQ(setQueue(isPart ? whole : ofPart), CL_SUCCESS);
    EXPECT_EQ(run(kernel_), CL_INVALID_DEVICE_QUEUE);
    ASSERT_EQ(setQueue(isPart ? ofPart : whole), CL_SUCCESS);
    EXPECT_EQ(run(kernel_), CL_SUCCESS);
    EXPECT_EQ(outcome(), 0);
  }
  EXPECT_EQ(clReleaseDevice(part), CL_SUCCESS);
}

} // namespace

} // namespace clotho::test
