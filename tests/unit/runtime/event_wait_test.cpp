// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which started commands a thread that waits for an event takes upon itself: a device counts on it for those, so it
// may not accept one that outlives its wait. The device here starts nothing by itself, and the moment between two looks
// of the waiting thread is a function of the test.
#include "runtime/devices.hpp"
#include "runtime/objects/command_buffer.hpp"
#include "runtime/process.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace clotho {

namespace {

class KeptQueue final : public DeviceQueue {
 public:
  explicit KeptQueue(std::vector<Node*>& started) : started_(started) {}
  void start(Node& node, WorkList&) noexcept override { started_.push_back(&node); }

 private:
  std::vector<Node*>& started_;
};

class KeptDevice final : public Device, private Helping {
 public:
  using Moment = std::function<void(Filter, Condition, const void*)>;

  const DeviceProperties& properties() const noexcept override { return properties_; }
  const Claims& claims() const noexcept override { return claims_; }
  const Target& target() const noexcept override { return target_; }
  std::unique_ptr<DeviceProgram> load(std::shared_ptr<const BuildResult>, std::string&) override { return nullptr; }
  std::unique_ptr<DeviceQueue> makeQueue(const QueueTraits&) override { return std::make_unique<KeptQueue>(started); }
  void checkCode(const BuildResult&) const override {}
  std::uint64_t now() const noexcept override { return 1; }
  void afterFork() override {}
  void startThreads() override {}
  UnitList units() const override { return {0}; }
  Helping* helping() noexcept override { return this; }

  std::vector<Node*> started;
  Moment whileWaiting; ///< what happens while a thread polls

 private:
  void help(Filter wanted, Condition over, const void* context) noexcept override {
    whileWaiting(wanted, over, context);
    // What the test has not ended by then the device runs.
    while (!started.empty()) {
      Node* node = started.back();
      started.pop_back();
      node->begin();
      node->complete(CL_COMPLETE);
    }
  }

  DeviceProperties properties_;
  Claims claims_ = Claims::of(claims::kCpu);
  Target target_;
};

KeptDevice& device() {
  static KeptDevice* const instance = new KeptDevice; // as devices of a driver live
  return *instance;
}

class EventWait : public testing::Test {
 protected:
  Ref<Queue> makeQueue(bool isInOrder = true) {
    return make<Queue>(*context_, device(), isInOrder ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                       std::vector<cl_queue_properties>());
  }
  Ref<Event> makeUserEvent() { return make<Event>(*context_, nullptr, CL_COMMAND_USER, Command(Nothing{})); }
  Fill fill() {
    Fill fill{};
    fill.target = bytes_;
    fill.rowBytes = fill.patternSize = 1;
    return fill;
  }
  /// Fills of the second queue, of which neither waits for the other if that is out of order.
  Ref<CommandBuffer> makeBuffer(std::vector<Ref<Queue>> queues, std::uint32_t lane, int fills = 1) {
    Ref<CommandBuffer> buffer = make<CommandBuffer>(std::move(queues), CommandBuffer::Traits());
    for (int i = 0; i < fills; ++i) {
      CommandBuffer::Command command{};
      command.type = CL_COMMAND_FILL_BUFFER;
      command.lane = lane;
      command.command = Ref<RecordedCommand>::adopt(new RecordedCommand(fill()));
      buffer->record(std::move(command), {}, false, nullptr);
    }
    buffer->finalize();
    return buffer;
  }

  Ref<Context> context_ = make<Context>(std::vector<Ref<Device>>{Ref<Device>(device())},
                                        std::vector<cl_context_properties>(), nullptr, nullptr);
  std::byte bytes_[16];
};

// The commands of the buffer run in `second`, where the event that is waited for is later by its number than the whole
// is in `first`; but the whole comes after it.
TEST_F(EventWait, TakesNoPartThatComesAfterItsEvent) {
  Ref<Queue> first = makeQueue(), second = makeQueue();
  const std::vector<Ref<Queue>> queues{first, second};
  for (int i = 0; i < 10; ++i)
    second->submit(CL_COMMAND_MARKER, Nothing{}, {}, false);
  Ref<Event> gate = makeUserEvent();
  Event* const wait = gate.get();
  Ref<Event> earlier = second->submit(CL_COMMAND_MARKER, Nothing{}, {&wait, 1});
  Ref<Event> whole = makeBuffer(queues, 1)->enqueue(queues, {}, true);
  bool hasStarted = false;
  device().whileWaiting = [&](Helping::Filter wanted, Helping::Condition over, const void* context) {
    EXPECT_FALSE(over(context));
    gate->setUserStatus(CL_COMPLETE);
    ASSERT_EQ(device().started.size(), 1U);
    hasStarted = true;
    EXPECT_TRUE(over(context)) << "the thread leaves as soon as it looks";
    EXPECT_FALSE(wanted(*device().started.front(), context)) << "and runs nothing more";
  };
  EXPECT_EQ(earlier->wait(), CL_COMPLETE);
  EXPECT_TRUE(hasStarted);
  EXPECT_EQ(whole->status(), CL_COMPLETE);
}

// Parts of all queues are the whole's, and what is behind the whole in its queue waits for them, too.
TEST_F(EventWait, TakesPartsOfWhatItWaitsFor) {
  Ref<Queue> first = makeQueue(), second = makeQueue();
  const std::vector<Ref<Queue>> queues{first, second};
  for (const bool isBehind : {false, true}) {
    Ref<Event> whole = makeBuffer(queues, 1)->enqueue(queues, {}, true);
    Ref<Event> target = isBehind ? first->submit(CL_COMMAND_MARKER, Nothing{}, {}) : whole;
    bool wasWanted = false;
    device().whileWaiting = [&](Helping::Filter wanted, Helping::Condition, const void* context) {
      ASSERT_EQ(device().started.size(), 1U);
      wasWanted = wanted(*device().started.front(), context);
    };
    EXPECT_EQ(target->wait(), CL_COMPLETE);
    EXPECT_TRUE(wasWanted) << isBehind;
  }
}

// Out of order an event waits for its own command alone, with all of its parts; a join for all earlier ones.
TEST_F(EventWait, OutOfOrder) {
  Ref<Queue> queue = makeQueue(/*isInOrder=*/false);
  const std::vector<Ref<Queue>> queues{queue};
  Ref<Event> other = queue->submit(CL_COMMAND_FILL_BUFFER, fill(), {});
  Ref<Event> whole = makeBuffer(queues, 0, 2)->enqueue(queues, {}, true);
  Ref<Event> join = queue->marker(CL_COMMAND_MARKER, {});
  Ref<Event> later = queue->submit(CL_COMMAND_FILL_BUFFER, fill(), {});
  const auto wantedBy = [&](Event& target) {
    std::string wanted;
    device().whileWaiting = [&](Helping::Filter filter, Helping::Condition, const void* context) {
      for (Node* node : device().started)
        wanted += filter(*node, context) ? '1' : '0';
    };
    target.wait();
    return wanted;
  };
  ASSERT_EQ(device().started.size(), 4U);
  EXPECT_EQ(wantedBy(*join), "1110");
  Ref<Event> alone = queue->submit(CL_COMMAND_FILL_BUFFER, fill(), {});
  Ref<Event> again = makeBuffer(queues, 0, 2)->enqueue(queues, {}, true);
  EXPECT_EQ(wantedBy(*again), "011");
}

} // namespace

// The handles here never reach a loader.
const cl_icd_dispatch* const kDispatch = nullptr;

std::vector<Ref<Device>> makeHostDevices() { return {Ref<Device>(device())}; }
std::vector<Ref<Device>> makeDevices(const std::vector<Ref<Device>>& host) { return host; }
std::uint64_t memoryWithoutHostDevices() { return 0; }
Claims claimsOfOthers() { return Claims::of(claims::kCpu); }

} // namespace clotho
