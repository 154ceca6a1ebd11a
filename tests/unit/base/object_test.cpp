// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/object.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace clotho {

namespace {

struct Handle {};

class Thing final : public Object, public Handle {
 public:
  using Handle = clotho::Handle*;
  explicit Thing(int& alive, int* changes = nullptr) : alive_(alive), changes_(changes) { ++alive_; }

 private:
  ~Thing() override { --alive_; }
  void apiHoldChanged() noexcept override {
    if (changes_) ++*changes_;
  }
  int& alive_;
  int* changes_;
};

cl_int codeOf(auto&& body) {
  try {
    body();
    return CL_SUCCESS;
  } catch (const Error& error) {
    return error.code;
  }
}

TEST(Ref, CountsOwners) {
  int alive = 0;
  {
    Ref<Thing> a = Ref<Thing>::adopt(new Thing(alive)), b = a;
    EXPECT_TRUE(a == b);
    Ref<Thing> c = std::move(a);
    EXPECT_FALSE(a);
    b = nullptr;
    EXPECT_EQ(alive, 1);
    Ref<Object> base = std::move(c);
    EXPECT_FALSE(c);
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Ref, AssigningToItselfIsHarmless) {
  int alive = 0;
  Ref<Thing> thing = Ref<Thing>::adopt(new Thing(alive));
  Ref<Thing>& same = thing;
  thing = same;
  EXPECT_EQ(alive, 1);
  EXPECT_TRUE(thing);
}

TEST(Object, ApplicationsReferencesHoldOneOfOurs) {
  int alive = 0, changes = 0;
  Ref<Thing> ours = Ref<Thing>::adopt(new Thing(alive, &changes));
  EXPECT_EQ(ours->apiRefs(), 0u);
  Thing::Handle handle = handOut(Ref<Thing>(ours));
  EXPECT_EQ(handle, static_cast<Thing::Handle>(ours.get()));
  EXPECT_EQ(ours->apiRefs(), 1u);
  ours->apiRetain(CL_INVALID_EVENT);
  EXPECT_EQ(ours->apiRefs(), 2u);
  ours->apiRelease(CL_INVALID_EVENT);
  EXPECT_EQ(changes, 0);
  ours->apiRelease(CL_INVALID_EVENT);
  EXPECT_EQ(changes, 1);
  EXPECT_EQ(alive, 1) << "we still hold it";
  EXPECT_EQ(codeOf([&] { ours->apiRelease(CL_INVALID_EVENT); }), CL_INVALID_EVENT);

  ours->apiRetain(CL_INVALID_EVENT);
  EXPECT_EQ(changes, 2) << "the application has it again";
  Thing& thing = *ours;
  ours = nullptr;
  EXPECT_EQ(alive, 1) << "the application holds it";
  thing.apiRelease(CL_INVALID_EVENT);
  EXPECT_EQ(alive, 0);
}

TEST(Object, NothingIsTakenBeforeItIsWholeOrWhenItIsGone) {
  struct Kept final : Object {
    void destroy() noexcept override {} // as an object whose memory is still there
  } kept;
  EXPECT_FALSE(Ref<Kept>::ifAlive(&kept)) << "not adopted yet";
  EXPECT_EQ(codeOf([&] { kept.apiRetain(CL_INVALID_EVENT); }), CL_INVALID_EVENT);
  {
    Ref<Kept> first = Ref<Kept>::adopt(&kept), second = Ref<Kept>::ifAlive(&kept);
    EXPECT_TRUE(second == first);
  }
  EXPECT_FALSE(Ref<Kept>::ifAlive(&kept));
  EXPECT_EQ(codeOf([&] { kept.apiRetain(CL_INVALID_EVENT); }), CL_INVALID_EVENT);
  EXPECT_EQ(codeOf([&] { kept.apiRelease(CL_INVALID_EVENT); }), CL_INVALID_EVENT);
}

// The last reference of ours goes while others try to get one: it is either taken in time or the object is gone.
TEST(Object, EitherTakenOrGone) {
  struct Counted final : Object {
    void destroy() noexcept override { ++ends; }
    std::atomic<int> ends{0};
  };
  for (int round = 0; round < 2000; ++round) {
    Counted thing;
    Ref<Counted> ours = Ref<Counted>::adopt(&thing);
    std::atomic<bool> go{false};
    std::thread other([&] {
      while (!go) {
      }
      if (codeOf([&] { thing.apiRetain(CL_INVALID_EVENT); }) == CL_SUCCESS) thing.apiRelease(CL_INVALID_EVENT);
    });
    go = true;
    ours = nullptr;
    other.join();
    ASSERT_EQ(thing.ends, 1);
  }
}

TEST(Object, CountsFromManyThreads) {
  int alive = 0;
  Ref<Thing> thing = Ref<Thing>::adopt(new Thing(alive));
  handOut(Ref<Thing>(thing));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&thing] {
      for (int i = 0; i < 20'000; ++i) {
        Ref<Thing> own = thing;
        own->apiRetain(CL_INVALID_EVENT);
        own->apiRelease(CL_INVALID_EVENT);
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(thing->apiRefs(), 1u);
  thing->apiRelease(CL_INVALID_EVENT);
  EXPECT_EQ(alive, 1);
  thing = nullptr;
  EXPECT_EQ(alive, 0);
}

} // namespace

} // namespace clotho
