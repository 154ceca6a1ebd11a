// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command graph at its limits: very long, very wide, held back, and with every worker busy elsewhere.
#include "fixture.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <latch>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

namespace clotho::test {

namespace {

/// Does something if it is not destroyed in time: so that a test that would hang fails instead.
class Watchdog {
 public:
  explicit Watchdog(std::function<void()> rescue)
      : thread_([this, rescue = std::move(rescue)] {
          std::unique_lock lock(mutex_);
          if (changed_.wait_for(lock, std::chrono::seconds(60), [this] { return over_; })) return;
          ADD_FAILURE() << "a minute has passed: what was to return waits for something";
          rescue();
        }) {}
  ~Watchdog() {
    {
      std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

class GraphTest : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    free_ = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  }
  void TearDown() override {
    if (free_) EXPECT_EQ(clFinish(free_), CL_SUCCESS);
    Api::TearDown();
  }
  void releaseGate(cl_event gate, cl_int status) { EXPECT_EQ(clSetUserEventStatus(gate, status), CL_SUCCESS); }
  static void setArguments(cl_kernel kernel, const std::vector<cl_mem>& buffers) {
    for (cl_uint i = 0; i < buffers.size(); ++i)
      ASSERT_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]), CL_SUCCESS);
  }
  static cl_int launch(cl_command_queue queue, cl_kernel kernel, std::vector<cl_event> waits = {},
                       cl_event* out = nullptr) {
    return clEnqueueTask(queue, kernel, static_cast<cl_uint>(waits.size()), waits.empty() ? nullptr : waits.data(),
                         out);
  }
  /// A number of the words of `buffer`.
  cl_uint word(cl_mem buffer, size_t index = 0) {
    cl_uint seen = ~0u;
    Owned<cl_command_queue> queue = makeQueue();
    EXPECT_EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, index * 4, 4, &seen, 0, nullptr, nullptr), CL_SUCCESS);
    return seen;
  }

  Owned<cl_command_queue> free_;
};

// --- Long chains ---

constexpr cl_uint kChain = kSanitized ? 50'000 : 1'000'000;
constexpr cl_uint kSampleEvery = kChain / 10;

/// The events of some of a chain's commands.
class Samples {
 public:
  void consider(cl_uint index, cl_event event) {
    if (index % kSampleEvery != 0 && index + 1 != kChain) return;
    EXPECT_EQ(clRetainEvent(event), CL_SUCCESS);
    events_.emplace_back(event);
  }
  const std::vector<Owned<cl_event>>& events() const { return events_; }

 private:
  std::vector<Owned<cl_event>> events_;
};

TEST_F(GraphTest, InOrderChainOfAMillion) {
  Owned<cl_mem> buffer = makeBuffer(4);
  for (cl_int outcome : {CL_COMPLETE, -7}) {
    cl_uint zero = 0;
    ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer, &zero, 4, 0, 4, 0, nullptr, nullptr), CL_SUCCESS);
    Owned<cl_event> gate = makeUserEvent();
    Watchdog watchdog([&] { clSetUserEventStatus(gate, CL_COMPLETE); });
    Samples samples;
    cl_event wait = gate;
    for (cl_uint i = 0; i < kChain; ++i) {
      Owned<cl_event> event;
      // Every command, so that failure has to be passed on a million times; order alone would not.
      ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer, &i, 4, 0, 4, 1, &wait, event.out()), CL_SUCCESS);
      samples.consider(i, event);
    }
    for (const Owned<cl_event>& event : samples.events())
      EXPECT_GT(statusOf(event), CL_RUNNING);
    releaseGate(gate, outcome);
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
    for (const Owned<cl_event>& event : samples.events())
      EXPECT_EQ(statusOf(event), outcome ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_COMPLETE);
    EXPECT_EQ(word(buffer), outcome ? 0 : kChain - 1);
  }
}

/// Each command waits for the one before by its event; `enqueue(wait, out)` adds one.
template <class Enqueue>
void passThroughChain(cl_event gate, cl_int outcome, Enqueue&& enqueue, Samples& samples, Owned<cl_event>& last) {
  cl_event wait = gate;
  for (cl_uint i = 0; i < kChain; ++i) {
    Owned<cl_event> next;
    ASSERT_EQ(enqueue(i, &wait, next.out()), CL_SUCCESS);
    samples.consider(i, next);
    last = std::move(next);
    wait = last;
  }
  ASSERT_EQ(clSetUserEventStatus(gate, outcome), CL_SUCCESS);
  ASSERT_EQ(clWaitForEvents(1, &wait), outcome ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS);
  for (const Owned<cl_event>& event : samples.events()) {
    cl_int status = 1;
    ASSERT_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr), CL_SUCCESS);
    EXPECT_EQ(status, outcome ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_COMPLETE);
  }
}

TEST_F(GraphTest, ChainOfAMillionEvents) {
  Owned<cl_mem> buffer = makeBuffer(4);
  for (cl_int outcome : {CL_COMPLETE, -7}) {
    Owned<cl_event> gate = makeUserEvent(), last;
    Watchdog watchdog([&] { clSetUserEventStatus(gate, CL_COMPLETE); });
    Samples samples;
    auto fill = [&](cl_uint i, const cl_event* wait, cl_event* out) {
      return clEnqueueFillBuffer(free_, buffer, &i, 4, 0, 4, 1, wait, out);
    };
    passThroughChain(gate, outcome, fill, samples, last);
    if (!outcome) EXPECT_EQ(word(buffer), kChain - 1);
  }
}

// What needs no device spreads by itself, in the thread that sets the user event.
TEST_F(GraphTest, ChainOfAMillionMarkers) {
  for (cl_int outcome : {CL_COMPLETE, -7}) {
    Owned<cl_event> gate = makeUserEvent(), last;
    Watchdog watchdog([&] { clSetUserEventStatus(gate, CL_COMPLETE); });
    Samples samples;
    // In turns on two queues: the one out of order, and the one in order, where each also follows its predecessor.
    auto mark = [&](cl_uint i, const cl_event* wait, cl_event* out) {
      return clEnqueueMarkerWithWaitList(i % 2 ? queue_ : free_, 1, wait, out);
    };
    passThroughChain(gate, outcome, mark, samples, last);
  }
}

TEST_F(GraphTest, OneEventWithManyWaitersAndOneWaiterForAllOfThem) {
  constexpr cl_uint kWidth = kSanitized ? 20'000 : 200'000;
  Owned<cl_event> gate = makeUserEvent(), all;
  Watchdog watchdog([&] { clSetUserEventStatus(gate, CL_COMPLETE); });
  std::vector<Owned<cl_event>> markers(kWidth);
  std::vector<cl_event> waits;
  cl_event wait = gate;
  for (Owned<cl_event>& marker : markers) {
    ASSERT_EQ(clEnqueueMarkerWithWaitList(free_, 1, &wait, marker.out()), CL_SUCCESS);
    waits.push_back(marker);
  }
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue_, kWidth, waits.data(), all.out()), CL_SUCCESS);
  EXPECT_GT(statusOf(all), CL_COMPLETE);
  releaseGate(gate, CL_COMPLETE);
  ASSERT_EQ(clWaitForEvents(kWidth, waits.data()), CL_SUCCESS);
  wait = all;
  ASSERT_EQ(clWaitForEvents(1, &wait), CL_SUCCESS);
}

// --- Enqueueing never blocks ---

/// Commands of every kind whose results depend on their order, and what they must give.
struct Model {
  cl_uint a = 1, b = 2;
  static cl_uint stirred(cl_uint value, cl_uint with) { return value * 1664525u + with; }
};

void CL_CALLBACK stirNatively(void* raw) {
  auto* word = *static_cast<cl_uint**>(raw);
  *word = Model::stirred(*word, 77);
}

TEST_F(GraphTest, AHundredThousandCommandsOfAllKindsWaitForOneEvent) {
  CLOTHO_NEEDS(hasNativeKernels());
  constexpr cl_uint kCount = kSanitized ? 10'000 : 100'000;
  Model model;
  Owned<cl_mem> a = makeBuffer(4, CL_MEM_COPY_HOST_PTR, &model.a), b = makeBuffer(4, CL_MEM_COPY_HOST_PTR, &model.b);
  Owned<cl_kernel> stir =
      makeKernel("kernel void stir(global uint* p, uint with) { *p = *p * 1664525u + with; }", "stir");
  Owned<cl_event> gate = makeUserEvent();
  Watchdog watchdog([&] { clSetUserEventStatus(gate, CL_COMPLETE); });
  cl_event wait = gate;
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue_, 1, &wait, nullptr), CL_SUCCESS);
  std::vector<cl_uint> written(kCount), seen(kCount), expected(kCount);
  std::vector<std::pair<cl_uint*, cl_uint>> mapped;
  for (cl_uint i = 0; i < kCount; ++i) {
    bool second = i / 8 % 2 != 0;
    cl_mem buffer = second ? b : a;
    cl_uint& value = second ? model.b : model.a;
    const size_t origin[3] = {0, 0, 0}, region[3] = {4, 1, 1};
    cl_int status = CL_SUCCESS;
    switch (i % 8) {
    case 0:
    case 4:
      ASSERT_EQ(clSetKernelArg(stir, 0, sizeof buffer, &buffer), CL_SUCCESS);
      ASSERT_EQ(clSetKernelArg(stir, 1, sizeof i, &i), CL_SUCCESS);
      ASSERT_EQ(launch(queue_, stir), CL_SUCCESS);
      value = Model::stirred(value, i);
      break;
    case 1:
      ASSERT_EQ(clEnqueueCopyBuffer(queue_, a, b, 0, 0, 4, 0, nullptr, nullptr), CL_SUCCESS);
      model.b = model.a;
      break;
    case 2: {
      const void* place = nullptr;
      void* argument = nullptr;
      place = &argument;
      ASSERT_EQ(clEnqueueNativeKernel(queue_, stirNatively, &argument, sizeof argument, 1, &buffer, &place, 0, nullptr,
                                      nullptr),
                CL_SUCCESS);
      value = Model::stirred(value, 77);
      break;
    }
    case 3:
      ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_FALSE, 0, 4, &seen[i], 0, nullptr, nullptr), CL_SUCCESS);
      expected[i] = value;
      break;
    case 5:
      written[i] = i * 7919;
      if (i % 64 == 5) {
        ASSERT_EQ(clEnqueueWriteBuffer(queue_, buffer, CL_FALSE, 0, 4, &written[i], 0, nullptr, nullptr), CL_SUCCESS);
        value = written[i];
      } else {
        ASSERT_EQ(clEnqueueMarkerWithWaitList(queue_, 1, &wait, nullptr), CL_SUCCESS);
      }
      break;
    case 6:
      if (i % 128 == 6) {
        ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer, &i, 4, 0, 4, 0, nullptr, nullptr), CL_SUCCESS);
        value = i;
      } else {
        ASSERT_EQ(clEnqueueCopyBufferRect(queue_, b, a, origin, origin, region, 0, 0, 0, 0, 0, nullptr, nullptr),
                  CL_SUCCESS);
        model.a = model.b;
      }
      break;
    default:
      void* memory = clEnqueueMapBuffer(queue_, buffer, CL_FALSE, CL_MAP_READ, 0, 4, 0, nullptr, nullptr, &status);
      ASSERT_EQ(status, CL_SUCCESS);
      ASSERT_EQ(clEnqueueUnmapMemObject(queue_, buffer, memory, 0, nullptr, nullptr), CL_SUCCESS);
      ASSERT_EQ(clEnqueueBarrierWithWaitList(queue_, 0, nullptr, nullptr), CL_SUCCESS);
    }
  }
  ASSERT_EQ(clFlush(queue_), CL_SUCCESS);
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](cl_uint value) { return value == 0; })) << "nothing has run";
  releaseGate(gate, CL_COMPLETE);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(word(a), model.a);
  EXPECT_EQ(word(b), model.b);
}

TEST_F(GraphTest, AHundredThousandLaunchesWaitOutOfOrder) {
  constexpr cl_uint kCount = kSanitized ? 10'000 : 100'000;
  Owned<cl_mem> counts = makeBuffer(8);
  Owned<cl_kernel> count = makeKernel("kernel void count(global uint* p, uint v) {\n"
                                      "  atomic_inc(p); atomic_add(p + 1, v);\n}",
                                      "count");
  setArguments(count, {counts});
  cl_uint zero = 0, sum = 0;
  ASSERT_EQ(clEnqueueFillBuffer(queue_, counts, &zero, 4, 0, 8, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  Owned<cl_event> gate = makeUserEvent();
  Watchdog watchdog([&] { clSetUserEventStatus(gate, CL_COMPLETE); });
  for (cl_uint i = 0; i < kCount; ++i, sum += i) {
    cl_uint value = i + 1;
    ASSERT_EQ(clSetKernelArg(count, 1, sizeof value, &value), CL_SUCCESS);
    ASSERT_EQ(launch(free_, count, {gate}), CL_SUCCESS);
  }
  ASSERT_EQ(clFlush(free_), CL_SUCCESS);
  EXPECT_EQ(word(counts), 0u);
  releaseGate(gate, CL_COMPLETE);
  ASSERT_EQ(clFinish(free_), CL_SUCCESS);
  EXPECT_EQ(word(counts), kCount);
  EXPECT_EQ(word(counts, 1), sum);
}

// --- Queues do not hold each other back ---

TEST_F(GraphTest, QueuesOfAContextProgressIndependently) {
  constexpr cl_uint kCount = 1000;
  Owned<cl_mem> counts = makeBuffer(4), heldCounts = makeBuffer(4);
  Owned<cl_kernel> kernel = makeKernel("kernel void count(global uint* p) { atomic_inc(p); }", "count");
  cl_uint zero = 0;
  for (const Owned<cl_mem>* buffer : {&counts, &heldCounts})
    ASSERT_EQ(clEnqueueFillBuffer(queue_, *buffer, &zero, 4, 0, 4, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  for (cl_command_queue_properties properties : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
    Owned<cl_command_queue> held = makeQueue(properties), other = makeQueue(properties);
    Owned<cl_event> gate = makeUserEvent(), marker;
    Watchdog watchdog([&] { clSetUserEventStatus(gate, CL_COMPLETE); });
    cl_uint before = word(counts), heldBefore = word(heldCounts);
    setArguments(kernel, {heldCounts});
    cl_event wait = gate;
    ASSERT_EQ(clEnqueueBarrierWithWaitList(held, 1, &wait, nullptr), CL_SUCCESS);
    for (cl_uint i = 0; i < kCount; ++i)
      ASSERT_EQ(launch(held, kernel), CL_SUCCESS);
    ASSERT_EQ(clEnqueueMarkerWithWaitList(held, 0, nullptr, marker.out()), CL_SUCCESS);
    setArguments(kernel, {counts});
    for (cl_uint i = 0; i < kCount; ++i)
      ASSERT_EQ(launch(other, kernel), CL_SUCCESS);
    EXPECT_EQ(clFinish(other), CL_SUCCESS);
    EXPECT_EQ(word(counts), before + kCount);
    EXPECT_GT(statusOf(marker), CL_RUNNING);
    EXPECT_EQ(word(heldCounts), heldBefore);
    releaseGate(gate, CL_COMPLETE);
    EXPECT_EQ(clFinish(held), CL_SUCCESS);
    EXPECT_EQ(word(heldCounts), heldBefore + kCount);
  }
}

/// Kernels that run until they are told to end.
class LongWork {
 public:
  static constexpr const char* kSource =
      "kernel void spin(global int* flags) { atomic_inc(flags); while (!atomic_or(flags + 1, 0)); }";
  cl_int* flags() { return flags_; }
  bool runs(int count) {
    for (int i = 0; i < 20'000 && started() < count; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return started() == count;
  }
  int started() const { return __atomic_load_n(&flags_[0], __ATOMIC_SEQ_CST); }
  void end() { __atomic_store_n(&flags_[1], 1, __ATOMIC_SEQ_CST); }

 private:
  alignas(4096) cl_int flags_[1024] = {};
};

// With every worker busy for longer than any wait, a waiting thread runs what its wait depends on, and nothing else.
TEST_F(GraphTest, WaitsEndThoughOtherQueuesHaveLongWork) {
  if (isFar()) GTEST_SKIP() << "kernels are ended through memory that the host and the device have in common";
  cl_uint units = valueAnswer<cl_uint>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MAX_COMPUTE_UNITS));
  auto work = std::make_unique<LongWork>();
  Owned<cl_mem> flags = makeBuffer(4096, CL_MEM_USE_HOST_PTR, work->flags());
  Owned<cl_kernel> spin = makeKernel(LongWork::kSource, "spin");
  setArguments(spin, {flags});
  Owned<cl_mem> counts = makeBuffer(4);
  Owned<cl_kernel> count = makeKernel("kernel void count(global uint* p) { atomic_inc(p); }", "count");
  setArguments(count, {counts});
  cl_uint zero = 0;
  ASSERT_EQ(clEnqueueFillBuffer(queue_, counts, &zero, 4, 0, 4, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  std::vector<Owned<cl_command_queue>> busy;
  auto endAll = [&] {
    work->end();
    for (const Owned<cl_command_queue>& queue : busy)
      EXPECT_EQ(clFinish(queue), CL_SUCCESS);
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
    EXPECT_EQ(clFinish(free_), CL_SUCCESS);
  };
  // Whatever fails: the kernels must not outlive what they look at.
  std::unique_ptr<void, std::function<void(void*)>> ending(work.get(), [&](void*) { endAll(); });
  Watchdog watchdog([&] { work->end(); });
  for (cl_uint i = 0; i < units; ++i) {
    busy.push_back(makeQueue());
    ASSERT_EQ(launch(busy.back(), spin), CL_SUCCESS);
    ASSERT_EQ(clFlush(busy.back()), CL_SUCCESS);
  }
  ASSERT_TRUE(work->runs(static_cast<int>(units)));

  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(launch(queue_, count), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS) << "in order";
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(launch(free_, count), CL_SUCCESS);
  EXPECT_EQ(clFinish(free_), CL_SUCCESS) << "out of order";
  // The last command of the wait makes long work of its own and of another queue ready.
  Owned<cl_event> last;
  ASSERT_EQ(launch(queue_, count, {}, last.out()), CL_SUCCESS);
  ASSERT_EQ(launch(queue_, spin), CL_SUCCESS);
  ASSERT_EQ(launch(free_, spin, {last}), CL_SUCCESS);
  cl_event wait = last;
  EXPECT_EQ(clWaitForEvents(1, &wait), CL_SUCCESS);
  EXPECT_EQ(work->started(), static_cast<int>(units)) << "nobody was free to start more of it";
  endAll();
  EXPECT_EQ(word(counts), 201u);
  EXPECT_EQ(work->started(), static_cast<int>(units) + 2);
}

// --- User code ---

struct ThreadsSeen {
  std::mutex mutex;
  std::set<std::thread::id> ids;
  std::atomic<int> calls{0};
  void note() {
    std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
    ++calls;
  }
};

void CL_CALLBACK noteCallback(cl_event, cl_int, void* seen) { static_cast<ThreadsSeen*>(seen)->note(); }
void CL_CALLBACK noteNative(void* raw) { (*static_cast<ThreadsSeen**>(raw))->note(); }

TEST_F(GraphTest, WaitingThreadsRunNoUserCode) {
  constexpr int kRounds = 300;
  auto seen = std::make_unique<ThreadsSeen>();
  ThreadsSeen* pointer = seen.get();
  Owned<cl_mem> buffer = makeBuffer(4096);
  std::set<std::thread::id> waiting;
  std::mutex mutex;
  std::atomic<int> failures{0};
  // A thread that has ended leaves its id to the next one that starts, which may be one of the driver's. So all of them
  // stay until user code has run.
  std::latch waited(3);
  std::latch over(1);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      {
        std::lock_guard lock(mutex);
        waiting.insert(std::this_thread::get_id());
      }
      Owned<cl_command_queue> queue = makeQueue(t == 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
      for (int i = 0; i < kRounds; ++i) {
        Owned<cl_event> first, native, last;
        cl_uint value = 1;
        failures += clEnqueueFillBuffer(queue, buffer, &value, 4, static_cast<size_t>(t) * 1024, 1024, 0, nullptr,
                                        first.out()) != CL_SUCCESS;
        for (cl_int state : {CL_SUBMITTED, CL_RUNNING, CL_COMPLETE})
          failures += clSetEventCallback(first, state, noteCallback, pointer) != CL_SUCCESS;
        cl_event wait = first;
        if (hasNativeKernels()) {
          failures += clEnqueueNativeKernel(queue, noteNative, &pointer, sizeof pointer, 0, nullptr, nullptr, 1, &wait,
                                            native.out()) != CL_SUCCESS;
          wait = native;
        }
        failures += clEnqueueMarkerWithWaitList(queue, 1, &wait, last.out()) != CL_SUCCESS;
        failures += clSetEventCallback(last, CL_COMPLETE, noteCallback, pointer) != CL_SUCCESS;
        wait = last;
        failures += (i % 2 ? clFinish(queue) : clWaitForEvents(1, &wait)) != CL_SUCCESS;
      }
      waited.count_down();
      over.wait();
    });
  waited.wait();
  const int calls = 3 * kRounds * (hasNativeKernels() ? 5 : 4);
  for (int i = 0; i < 10'000 && seen->calls < calls; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  over.count_down();
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(seen->calls, calls);
  std::lock_guard lock(seen->mutex);
  for (std::thread::id id : waiting)
    EXPECT_EQ(seen->ids.count(id), 0u) << "user code ran on a thread that waited";
  EXPECT_EQ(seen->ids.count(std::this_thread::get_id()), 0u);
}

/// What callbacks work on. The last callback releases all of it.
struct Relay {
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_program program = nullptr;
  cl_kernel kernel = nullptr;
  cl_mem buffer = nullptr;
  cl_event end = nullptr;
  int left = 0;
  cl_uint result = 0;
  std::atomic<int> failures{0}, destroyed{0};
  std::atomic<bool> over{false};

  void check(cl_int status) { failures += status != CL_SUCCESS; }
};

void CL_CALLBACK passOn(cl_event event, cl_int status, void* raw) {
  Relay& relay = *static_cast<Relay*>(raw);
  relay.check(status);
  relay.check(clReleaseEvent(event)); // the last reference to what called
  if (relay.left-- > 0) {
    cl_int created = 1;
    cl_event gate = clCreateUserEvent(relay.context, &created), next = nullptr;
    relay.check(created);
    cl_mem other = clCreateBuffer(relay.context, 0, 64, nullptr, &created);
    relay.check(created);
    relay.check(clEnqueueCopyBuffer(relay.queue, other, other, 0, 32, 32, 1, &gate, nullptr));
    relay.check(clReleaseMemObject(other));
    relay.check(clEnqueueTask(relay.queue, relay.kernel, 1, &gate, &next));
    relay.check(clSetEventCallback(next, CL_COMPLETE, passOn, raw));
    relay.check(clFlush(relay.queue));
    relay.check(clSetUserEventStatus(gate, CL_COMPLETE));
    relay.check(clReleaseEvent(gate));
    return;
  }
  relay.check(clEnqueueReadBuffer(relay.queue, relay.buffer, CL_FALSE, 0, 4, &relay.result, 0, nullptr, nullptr));
  cl_event marker = nullptr;
  relay.check(clEnqueueMarkerWithWaitList(relay.queue, 0, nullptr, &marker));
  relay.check(clSetEventCallback(
      marker, CL_COMPLETE,
      [](cl_event last, cl_int, void* data) {
        Relay& ended = *static_cast<Relay*>(data);
        ended.check(clReleaseEvent(last));
        ended.check(clSetUserEventStatus(ended.end, CL_COMPLETE));
        ended.check(clReleaseEvent(ended.end));
        ended.over = true;
      },
      raw));
  relay.check(clReleaseMemObject(relay.buffer));
  relay.check(clReleaseKernel(relay.kernel));
  relay.check(clReleaseProgram(relay.program));
  relay.check(clReleaseCommandQueue(relay.queue));
  relay.check(clReleaseContext(relay.context));
}

TEST_F(GraphTest, CallbacksMayDoWhatDoesNotBlock) {
  constexpr int kSteps = 500;
  for (cl_command_queue_properties properties : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
    auto relay = std::make_unique<Relay>();
    relay->left = kSteps;
    context_ = makeContext();
    auto count = [](auto, void* raw) { ++static_cast<Relay*>(raw)->destroyed; };
    ASSERT_EQ(clSetContextDestructorCallback(context_, count, relay.get()), CL_SUCCESS);
    Owned<cl_command_queue> queue = makeQueue(properties);
    Owned<cl_program> program = buildProgram("kernel void count(global uint* p) { atomic_inc(p); }");
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program, "count", &status);
    ASSERT_EQ(status, CL_SUCCESS);
    cl_uint zero = 0;
    Owned<cl_mem> buffer = makeBuffer(4, CL_MEM_COPY_HOST_PTR, &zero);
    ASSERT_EQ(clSetMemObjectDestructorCallback(buffer, count, relay.get()), CL_SUCCESS);
    setArguments(kernel, {buffer});
    Owned<cl_event> start = makeUserEvent(), end = makeUserEvent();
    relay->end = end;
    ASSERT_EQ(clRetainEvent(end), CL_SUCCESS);
    Watchdog watchdog([&] { clSetUserEventStatus(end, -1); });
    cl_event first = start.get();
    ASSERT_EQ(clRetainEvent(first), CL_SUCCESS);
    ASSERT_EQ(clSetEventCallback(first, CL_COMPLETE, passOn, relay.get()), CL_SUCCESS);
    relay->context = context_.take();
    relay->queue = queue.take();
    relay->program = program.take();
    relay->kernel = kernel.take();
    relay->buffer = buffer.take();
    ASSERT_EQ(clSetUserEventStatus(first, CL_COMPLETE), CL_SUCCESS);
    cl_event wait = end;
    EXPECT_EQ(clWaitForEvents(1, &wait), CL_SUCCESS);
    EXPECT_EQ(release(start.take()), CL_SUCCESS);
    EXPECT_EQ(release(end.take()), CL_SUCCESS);
    // The context lives until nothing in it does, and then says so.
    for (int i = 0; i < 10'000 && !(relay->over && relay->destroyed == 2); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(relay->destroyed, 2);
    EXPECT_EQ(relay->failures, 0);
    EXPECT_EQ(relay->result, cl_uint{kSteps});
  }
}

} // namespace

} // namespace clotho::test
