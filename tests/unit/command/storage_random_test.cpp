// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random commands against a model that knows of each byte what it is and where it is valid.
#include "steps.hpp"

#include <algorithm>
#include <array>
#include <list>
#include <random>

namespace clotho::test {

namespace {

constexpr std::size_t kSize = Steps::kSize;
constexpr cl_int kFailure = -77;

/// What a command does with bytes. Touch: it might write them and only reads.
enum class Use { Read, Touch, Change, Replace };

Access accessOf(Use use) {
  return use == Use::Read ? Access::Read : use == Use::Replace ? Access::Discard : Access::ReadWrite;
}
bool writes(Use use) { return use == Use::Change || use == Use::Replace; }
bool overlap(Range a, Range b) { return a.begin < b.end && b.begin < a.end; }

struct Part {
  Use use;
  Range range;
};

struct Issued {
  Ref<TestCommand> node;
  HomeId home;
  std::vector<Part> parts;
  bool mayFail = false; ///< bytes that it uses were on a way that failed
};

struct MoveUnderWay {
  Move move;
  std::array<unsigned, kSize> stamps; ///< as it started
};

struct Kinds {
  bool touches, failures;
};

class Model {
 public:
  Model(unsigned seed, Kinds kinds);
  void run(int steps);

 private:
  std::size_t pick(std::size_t count) { return random_() % count; }
  Range pickRange();
  bool conflict(const Issued& a, const std::vector<Part>& parts) const;
  void issue();
  void commandStarted(Node& node);
  void moveStarted(Node& node);
  void endSomeCommand();
  void endSomeMove();
  void dropDone();

  std::mt19937 random_;
  const Kinds kinds_;
  const std::size_t homes_;
  Steps steps_;
  std::array<std::byte, kSize> content_{};
  std::array<unsigned, kSize> stamps_{}; ///< of the last command that made a byte valid in one home alone
  unsigned lastStamp_ = 0;
  std::vector<std::array<bool, kSize>> valid_;
  std::list<Issued> issued_;
  std::list<MoveUnderWay> moves_;
  std::byte nextValue_{};
};

Model::Model(unsigned seed, Kinds kinds)
    : random_(seed), kinds_(kinds), homes_(2 + pick(3)), steps_(homes_ - 1), valid_(homes_) {
  for (auto& home : valid_)
    home.fill(true);
  for (std::size_t i = 1; i < homes_; ++i) {
    StepMemory& memory = steps_.memory(static_cast<HomeId>(i));
    memory.seesOthers = pick(2) == 0;
    memory.transfers().onStart = [this](Node& node) { moveStarted(node); };
  }
  steps_.commands().onStart = [this](Node& node) { commandStarted(node); };
  // From here on each byte is known.
  for (std::size_t i = 0; i < homes_; ++i)
    steps_.storage().allocateOn(static_cast<HomeId>(i));
  std::memset(steps_.bytes(kHostHome), 0, kSize);
  steps_.storage().noteWritten(kHostHome, {0, kSize});
  for (std::size_t i = 1; i < homes_; ++i)
    valid_[i].fill(false);
}

Range Model::pickRange() {
  if (pick(6) == 0) return {0, kSize};
  // Often the same bounds again, as sub-buffers have.
  const std::size_t grain = pick(2) ? 16 : 1;
  const std::uint64_t begin = pick(kSize / grain) * grain;
  return {begin, begin + grain * (1 + pick((kSize - begin) / grain))};
}

bool Model::conflict(const Issued& a, const std::vector<Part>& parts) const {
  for (const Part& one : a.parts)
    for (const Part& other : parts)
      if (overlap(one.range, other.range) && (writes(one.use) || writes(other.use))) return true;
  return false;
}

void Model::issue() {
  std::vector<Part> parts;
  std::vector<Operand> operands;
  for (std::size_t i = 0, count = 1 + pick(2); i < count; ++i) {
    constexpr Use kUses[] = {Use::Read, Use::Change, Use::Replace, Use::Touch};
    parts.push_back({kUses[pick(kinds_.touches ? 4 : 3)], pickRange()});
    operands.push_back(steps_.operand(accessOf(parts.back().use), parts.back().range));
  }
  const auto home = static_cast<HomeId>(pick(homes_));
  const Ref<TestCommand> node = steps_.make(home, std::move(operands));
  node->reserveDependencies(issued_.size());
  for (const Issued& each : issued_)
    if (conflict(each, parts)) node->dependOn(*each.node, /*passesFailure=*/false);
  issued_.push_back({node, home, std::move(parts)});
  node->arm();
}

void Model::commandStarted(Node& node) {
  const auto command = std::find_if(issued_.begin(), issued_.end(), [&](const Issued& each) {
    return static_cast<const Node*>(each.node.get()) == &node;
  });
  ASSERT_NE(command, issued_.end());
  std::byte* bytes = steps_.bytes(command->home);
  for (const Part& part : command->parts)
    if (part.use != Use::Replace)
      for (std::uint64_t i = part.range.begin; i < part.range.end; ++i)
        ASSERT_EQ(bytes[i], content_[i]) << "byte " << i << " in home " << int{command->home};
  for (const Part& part : command->parts) {
    if (part.use == Use::Read) continue;
    ++lastStamp_;
    for (std::uint64_t i = part.range.begin; i < part.range.end; ++i) {
      stamps_[i] = lastStamp_;
      for (std::size_t home = 0; home < homes_; ++home)
        valid_[home][i] = home == command->home;
      if (!writes(part.use)) continue;
      nextValue_ = static_cast<std::byte>(static_cast<unsigned>(nextValue_) + 1);
      bytes[i] = content_[i] = nextValue_;
    }
  }
}

void Model::moveStarted(Node& node) {
  const Move move = steps_.moveOf(node);
  for (const MoveUnderWay& other : moves_)
    if (overlap(other.move.range, move.range))
      ASSERT_TRUE(move.to != other.move.to && move.to != other.move.from && move.from != other.move.to)
          << move << " beside " << other.move;
  // Who only touches bytes may have made them valid where a transfer was to bring them.
  if (!kinds_.touches)
    for (std::uint64_t i = move.range.begin; i < move.range.end; ++i)
      ASSERT_TRUE(valid_[move.from][i] && !valid_[move.to][i]) << move << " of byte " << i;
  moves_.push_back({move, stamps_});
}

void Model::endSomeMove() {
  auto chosen = moves_.begin();
  std::advance(chosen, pick(moves_.size()));
  const MoveUnderWay ended = *chosen;
  moves_.erase(chosen);
  const bool fails = kinds_.failures && pick(8) == 0;
  for (std::uint64_t i = ended.move.range.begin; i < ended.move.range.end; ++i)
    if (!fails && ended.stamps[i] == stamps_[i]) valid_[ended.move.to][i] = true;
  for (Issued& each : issued_)
    for (const Part& part : each.parts)
      if (fails && part.use != Use::Replace && overlap(part.range, ended.move.range)) each.mayFail = true;
  steps_.endMove(ended.move, fails ? kFailure : CL_COMPLETE);
}

void Model::endSomeCommand() {
  std::vector<Issued*> running;
  for (Issued& each : issued_)
    if (each.node->isRunning()) running.push_back(&each);
  if (running.empty()) return;
  Issued& chosen = *running[pick(running.size())];
  // What it wrote is there still: nothing came after it.
  for (const Part& part : chosen.parts)
    for (std::uint64_t i = part.range.begin; writes(part.use) && i < part.range.end; ++i)
      ASSERT_EQ(steps_.bytes(chosen.home)[i], content_[i]) << "byte " << i << " in home " << int{chosen.home};
  steps_.end(chosen.node);
}

void Model::dropDone() {
  issued_.remove_if([](const Issued& each) {
    if (!each.node->isDone()) return false;
    if (each.node->status() < 0) {
      EXPECT_EQ(each.node->status(), kFailure);
      EXPECT_TRUE(each.mayFail);
    }
    return true;
  });
}

void Model::run(int steps) {
  constexpr std::size_t kMostAtOnce = 10;
  for (; (steps > 0 || !issued_.empty()) && !testing::Test::HasFatalFailure(); --steps) {
    const std::size_t dice = pick(3);
    if (dice == 0 && steps > 0 && issued_.size() < kMostAtOnce)
      issue();
    else if (dice == 1 && !moves_.empty())
      endSomeMove();
    else
      endSomeCommand();
    dropDone();
    ASSERT_GT(steps, -10000) << "commands wait for each other";
  }
  if (testing::Test::HasFatalFailure()) return;
  // At rest everything is in order, and as few intervals as there can be.
  for (std::size_t i = 0; i < homes_; ++i) {
    const auto home = static_cast<HomeId>(i);
    const Ref<TestCommand> reader = steps_.make(home, {steps_.operand(Access::Read, {0, kSize})});
    issued_.push_back({reader, home, {{Use::Read, {0, kSize}}}});
    reader->arm();
    while (!moves_.empty())
      endSomeMove();
    ASSERT_TRUE(reader->isRunning() || reader->status() == kFailure);
    if (reader->isRunning()) steps_.end(reader);
    dropDone();
  }
  steps_.commands().onStart = nullptr;
  steps_.memory(1).transfers().onStart = nullptr;
  steps_.runToEnd(1, Access::Discard);
  EXPECT_EQ(steps_.runToEnd(kHostHome, Access::Read).size(), 1u);
}

void runAll(Kinds kinds) {
  for (unsigned seed = 1; seed <= 150 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Model(seed, kinds).run(400);
  }
}

TEST(StorageRandom, AgreesWithTheModel) { runAll({.touches = false, .failures = false}); }
TEST(StorageRandom, WithFailingTransfers) { runAll({.touches = false, .failures = true}); }
TEST(StorageRandom, WhereCommandsMightWriteWhatTheyRead) { runAll({.touches = true, .failures = false}); }
TEST(StorageRandom, WithAllOfThat) { runAll({.touches = true, .failures = true}); }

} // namespace

} // namespace clotho::test
