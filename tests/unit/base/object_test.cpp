// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/object.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace clotho {

namespace {

struct Handle {};

class Thing final : public Object, public Handle {
 public:
  using Handle = clotho::Handle*;
  explicit Thing(int& alive, int* lastReleases = nullptr) : alive_(alive), lastReleases_(lastReleases) { ++alive_; }

 private:
  ~Thing() override { --alive_; }
  void lastApiRelease() noexcept override {
    if (lastReleases_) ++*lastReleases_;
  }
  int& alive_;
  int* lastReleases_;
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
  int alive = 0, lastReleases = 0;
  Ref<Thing> ours = Ref<Thing>::adopt(new Thing(alive, &lastReleases));
  EXPECT_EQ(ours->apiRefs(), 0u);
  Thing::Handle handle = handOut(Ref<Thing>(ours));
  EXPECT_EQ(handle, static_cast<Thing::Handle>(ours.get()));
  EXPECT_EQ(ours->apiRefs(), 1u);
  ours->apiRetain(CL_INVALID_EVENT);
  EXPECT_EQ(ours->apiRefs(), 2u);
  ours->apiRelease(CL_INVALID_EVENT);
  EXPECT_EQ(lastReleases, 0);
  ours->apiRelease(CL_INVALID_EVENT);
  EXPECT_EQ(lastReleases, 1);
  EXPECT_EQ(alive, 1) << "we still hold it";
  EXPECT_EQ(codeOf([&] { ours->apiRelease(CL_INVALID_EVENT); }), CL_INVALID_EVENT);
  EXPECT_EQ(codeOf([&] { ours->apiRetain(CL_INVALID_EVENT); }), CL_INVALID_EVENT);
  ours = nullptr;
  EXPECT_EQ(alive, 0);
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
