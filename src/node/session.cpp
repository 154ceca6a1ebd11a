// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/session.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/overloaded.hpp"

#include <algorithm>
#include <new>

namespace clotho::node {

namespace {

using cluster::ToHost;
using cluster::ToNode;

cluster::Reported::Level levelOf(LogLevel level) {
  if (level == LogLevel::Error) return cluster::Reported::Level::Error;
  return level == LogLevel::Warn ? cluster::Reported::Level::Warn : cluster::Reported::Level::Info;
}

/// Whether the device's own memory can be copied from and to the slots at full speed from now on.
bool pin(Device& device, std::span<std::byte> slots) noexcept {
  DeviceMemory* const memory = device.memory();
  return memory && !slots.empty() && memory->pin(slots.data(), slots.size());
}

} // namespace

Session::Session(Device& device, std::unique_ptr<ProgramLink> link, std::unique_ptr<Memory> memory,
                 const SessionName& name, PeerRouter* router, Usage* usage)
    : device_(device), link_(std::move(link)), hasPinnedSlots_(pin(device, link_->slots())), memory_(std::move(memory)),
      peers_(name, router), usage_(usage) {
  if (usage_) usage_->sessions.fetch_add(1, std::memory_order_relaxed);
  if (std::atomic<std::uint64_t>* beat = link_->beat()) memory_->countParts(*beat);
}

Session::~Session() {
  // A copy that has run for too long may still use the slots: then they stay.
  if (hasPinnedSlots_ && !device_.memory()->unpin(link_->slots().data())) static_cast<void>(link_.release());
}

void Session::keep(std::uint64_t number, std::shared_ptr<const Program> program) {
  MutexLock lock(mutex_);
  built_.emplace_back(number, std::move(program));
}

void Session::takePrograms() {
  MutexLock lock(mutex_);
  for (auto& [number, program] : built_)
    programs_[number] = std::move(program);
  built_.clear();
}

// --- To the program ---

void Session::send(const ToHost& message) noexcept {
  try {
    link_->send([&](ByteWriter& out) {
      FieldWriter{out}(message);
      return true;
    });
  } catch (const std::bad_alloc&) {
    link_->close(); // the program would wait for ever
  }
}

// Whatever follows a failed command finds it either among the commands or among the failures. It is among the commands
// until its end is sent, so that no end of what follows comes before. Ends that others follow go with those.
void Session::ended(const RemoteCommand& command, const cluster::Ended& end) noexcept {
  const auto takeToTell = [&]() REQUIRES(mutex_) {
    const auto found = toTell_.find(command.number());
    return found == toTell_.end() ? std::vector<ToTell>() : std::move(toTell_.extract(found).mapped());
  };
  const auto tell = [&](const std::vector<ToTell>& all) {
    for (const auto& [to, edge] : all)
      peers_.tellEnd(to, edge, end.status);
  };
  const bool hasFailed = static_cast<cl_int>(end.status) < 0;
  Urgency urgency = Urgency::Now;
  std::vector<ToTell> toTell;
  {
    MutexLock lock(mutex_);
    try {
      if (hasFailed) noteFailure(command.number());
    } catch (const std::bad_alloc&) {
      link_->close(); // commands that wait for it must not run
    }
    if (commands_.size() > 1) urgency = Urgency::Soon;
    toTell = takeToTell();
  }
  peers_.ended(command, end.status);
  tell(toTell);
  sendEnd(end, hasFailed ? SlotBuffer() : command.result(), urgency);
  {
    MutexLock lock(mutex_);
    commands_.erase(command.number());
    toTell = takeToTell();
  }
  tell(toTell);
}

void Session::tellEnd(const cluster::TellEnd& tell) {
  bool hasFailed = false;
  {
    MutexLock lock(mutex_);
    if (commands_.contains(tell.number)) {
      toTell_[tell.number].push_back({tell.to, tell.edge});
      return;
    }
    hasFailed = failed_.contains(tell.number);
  }
  peers_.tellEnd(tell.to, tell.edge, static_cast<std::uint32_t>(hasFailed ? CL_OUT_OF_RESOURCES : CL_COMPLETE));
}

void Session::sendEnd(const cluster::Ended& end, SlotBuffer bytes, Urgency urgency) noexcept {
  try {
    const auto fill = [&](ByteWriter& out) {
      FieldWriter{out}(cluster::ToHost(end));
      ++endsSent_;
      if (static_cast<cl_int>(end.status) < 0) {
        MutexLock lock(mutex_);
        sentFailures_.push_back({endsSent_, end.number});
      }
      return true;
    };
    link_->send(fill, std::move(bytes), urgency);
  } catch (const std::bad_alloc&) {
    link_->close(); // the program would wait for ever
  }
}

void Session::report(std::uint64_t number, std::string text, LogLevel level) noexcept {
  if (text.size() > cluster::kMostText) text.resize(cluster::kMostText);
  send(cluster::Reported{number, levelOf(level), std::move(text)});
}

// Printing may take no longer than the device needs, so output is lost that a network does not take in time.
void Session::print(std::uint64_t number, std::string_view text) noexcept {
  try {
    if (link_->isFull()) {
      if (!hasLostOutput_.exchange(true, std::memory_order_relaxed))
        send(cluster::Reported{number, cluster::Reported::Level::Warn,
                               "output is lost: kernels print more than the network takes"});
      return;
    }
    for (; !text.empty(); text.remove_prefix(std::min(text.size(), cluster::kMostText)))
      send(cluster::Printed{number, std::string(text.substr(0, cluster::kMostText))});
  } catch (const std::bad_alloc&) {
    // Without memory for the text it is lost; the command itself has done its work.
  }
}

void Session::noteFailure(std::uint64_t number) {
  constexpr std::size_t kMost = std::size_t{1} << 20; // unheard by a program that goes on sending commands
  failed_.insert(number);
  if (failed_.size() > kMost) link_->close();
}

void Session::forgetFailures(std::uint64_t endsHandled) {
  MutexLock lock(mutex_);
  for (; !sentFailures_.empty() && sentFailures_.front().end <= endsHandled; sentFailures_.pop_front())
    failed_.erase(sentFailures_.front().number);
}

void Session::refuse(std::uint64_t number, cl_int status, const char* why) {
  {
    MutexLock lock(mutex_);
    noteFailure(number);
  }
  send(cluster::Reported{number, cluster::Reported::Level::Error, why});
  sendEnd({.number = number, .status = static_cast<std::uint32_t>(status)});
}

// --- From the program ---

bool Session::receive(std::string_view bytes, SlotBuffer slots) noexcept {
  try {
    std::optional<ToNode> message = cluster::decode<ToNode>(bytes);
    if (!message) {
      CLOTHO_LOG(Device, Error, "a program sends messages that make no sense");
      return false;
    }
    WorkList list;
    handle(*message, std::move(slots), list);
    list.run();
    return true;
  } catch (const std::bad_alloc&) {
    CLOTHO_LOG(Device, Error, "no memory for a program's message");
    return false;
  }
}

void Session::awaitEnds(Helping::Condition isWanted, const void* context) noexcept {
  if (device_.target().kind != TargetKind::Nvptx) return;
  struct Wait {
    Session& session;
    Helping::Condition isWanted;
    const void* context;
  } const wait{*this, isWanted, context};
  device_.helping()->help([](const Node&, const void*) { return true; },
                          [](const void* waiting) {
                            const auto& its = *static_cast<const Wait*>(waiting);
                            if (its.isWanted(its.context)) return true;
                            MutexLock lock(its.session.mutex_);
                            return its.session.commands_.empty();
                          },
                          &wait);
}

void Session::end() noexcept {
  link_->close();
  if (usage_) usage_->sessions.fetch_sub(1, std::memory_order_relaxed);
  peers_.end();
  queues_.clear();
  sequences_.clear();
  programs_.clear();
}

void Session::handle(ToNode& message, SlotBuffer bytes, WorkList& list) {
  std::visit(Overloaded{[&](const cluster::RunCommand& run) {
                          try {
                            this->run(run, std::move(bytes), list);
                          } catch (const Error& error) {
                            refuse(run.number, error.code, error.why);
                          } catch (const std::bad_alloc&) {
                            refuse(run.number, CL_OUT_OF_HOST_MEMORY, "the node has no memory for the command");
                          }
                        },
                        [&](const cluster::RecordCommand& record) { this->record(record); },
                        [&](const cluster::ForgetSequence& forget) { sequences_.erase(forget.sequence); },
                        [&](const cluster::WriteBytes& write) { this->write(write); },
                        [&](const cluster::UseMemory& use) {
                          if (!memory_->use(use.address, use.size))
                            CLOTHO_LOG(Device, Error, "there is no memory for %llu bytes of a program",
                                       static_cast<unsigned long long>(use.size));
                        },
                        [&](const cluster::FreeMemory& free) { memory_->free(free.address); },
                        [&](const cluster::MakeQueue& make) { makeQueue(make); },
                        [&](const cluster::DropQueue& drop) { queues_.erase(drop.queue); },
                        [&](const cluster::DropProgram& drop) {
                          takePrograms();
                          programs_.erase(drop.program);
                        },
                        [&](const cluster::ChooseLocalSize& question) { chooseLocalSize(question); },
                        [&](const cluster::TellEnd& tell) { tellEnd(tell); },
                        [&](const cluster::ForgetPeer& forget) { peers_.forget(forget.session); }},
             message);
}

// Not by an answer: the program learns of a queue that could not be made by the failure of its commands.
void Session::makeQueue(const cluster::MakeQueue& make) {
  std::shared_ptr<DeviceQueue>& queue = queues_[make.queue];
  queue = nullptr;
  try {
    queue = device_.makeQueue({.isInOrder = make.isInOrder, .isTimed = true});
  } catch (const Error& error) {
    CLOTHO_LOG(Device, Error, "a queue cannot be made: %s", error.why);
  }
}

SlotRange Session::slotsFor(const cluster::Work& work, SlotBuffer& bytes) {
  if (!link_->slots().empty()) return {link_->slots()};
  const cluster::Place* place = slotsOf(work);
  check(place || bytes.size == 0, CL_INVALID_VALUE, "bytes for a command that takes none");
  if (!place) return {};
  const auto& copy = std::get<cluster::RunCopy>(work);
  const std::uint64_t size = bytesInSlots(copy);
  if (place == &copy.source) {
    check(bytes.size == size, CL_INVALID_VALUE, "a copy with too many or too few bytes");
    check(bytes.memory || size == 0, CL_OUT_OF_RESOURCES, "the node has no memory for what is written");
  } else {
    check(bytes.size == 0, CL_INVALID_VALUE, "bytes for a command that takes none");
    bytes = link_->makeBuffer(size);
    check(bytes.size == size, CL_OUT_OF_RESOURCES, "the node has no memory for what is read");
  }
  return {bytes.bytes(), place->address};
}

Ref<RemoteCommand> Session::makeRemote(const cluster::RunCommand& run, SlotBuffer bytes) {
  const auto move = [&](const auto& work, auto prepare) {
    check(!device_.memory(), CL_INVALID_VALUE, "bytes between sessions of a device with memory of its own");
    std::byte* const begin = memory_->at(work.address, work.size);
    Ref<MemoryView> memory = memory_->operand(work.address, work.size);
    // The kind of command says no more than that a queue starts it.
    auto command = Ref<RemoteCommand>::adopt(
        new RemoteCommand(*this, peers_.queue(), run.number,
                          Copy{.source = begin, .target = begin, .rowBytes = work.size}, SlotBuffer()));
    (peers_.*prepare)(*command, work, {begin, work.size}, std::move(memory));
    return command;
  };
  if (const auto* send = std::get_if<cluster::SendBytes>(&run.work)) return move(*send, &SessionPeers::prepareSend);
  if (const auto* receive = std::get_if<cluster::ReceiveBytes>(&run.work))
    return move(*receive, &SessionPeers::prepareReceive);
  const auto queue = queues_.find(run.queue);
  check(queue != queues_.end(), CL_INVALID_VALUE, "a command for an unknown queue");
  check(queue->second != nullptr, CL_OUT_OF_RESOURCES, "a command for a queue that could not be made");
  const SlotRange slots = slotsFor(run.work, bytes);
  return Ref<RemoteCommand>::adopt(
      new RemoteCommand(*this, queue->second, run.number, makeCommand(run.work, known(slots)), std::move(bytes)));
}

void Session::run(const cluster::RunCommand& run, SlotBuffer bytes, WorkList& list) {
  if (usage_) usage_->commands.fetch_add(1, std::memory_order_relaxed);
  forgetFailures(run.endsHandled);
  takePrograms();
  Ref<RemoteCommand> command;
  try {
    {
      MutexLock lock(mutex_);
      check(!commands_.contains(run.number), CL_INVALID_VALUE, "a number that is in use");
    }
    command = makeRemote(run, std::move(bytes));
    constexpr HomeId kDevices = 1;
    if (device_.memory()) command->setHome(kDevices); // it may order commands by itself
    command->reserveDependencies(run.after.size());
    check(command->holdArguments(nullptr), CL_INVALID_MEM_OBJECT, "an argument of a launch is gone");
    MutexLock lock(mutex_);
    commands_.emplace(run.number, command.get());
  } catch (...) {
    if (command)
      peers_.ended(*command, static_cast<std::uint32_t>(CL_OUT_OF_HOST_MEMORY));
    else
      peers_.refused(run.work);
    throw;
  }
  // Others may point to it from here on, so it comes to its end, whatever is wrong.
  const auto fail = [&](cl_int status, std::string why) {
    report(run.number, std::move(why), LogLevel::Error);
    command->fail(status);
  };
  try {
    follow(*command, run.after);
  } catch (const Error& error) {
    fail(error.code, error.why);
  } catch (const std::bad_alloc&) {
    fail(CL_OUT_OF_HOST_MEMORY, {});
  }
  command->holdItself();
  command->arm(list);
}

// The references keep a predecessor from being destroyed while the edge is made.
void Session::follow(RemoteCommand& command, const std::vector<cluster::Predecessor>& after) {
  for (const cluster::Predecessor& each : after) {
    check(each.peer.session != 0 || each.number != command.number(), CL_INVALID_VALUE, "a command that follows itself");
    if (each.peer.session != 0) {
      peers_.follow(command, each.peer, each.number, each.passesFailure);
      continue;
    }
    Ref<RemoteCommand> predecessor;
    bool hasFailed = false;
    {
      MutexLock lock(mutex_);
      if (const auto found = commands_.find(each.number); found != commands_.end())
        predecessor = Ref<RemoteCommand>::ifAlive(found->second);
      hasFailed = each.passesFailure && failed_.contains(each.number);
    }
    if (hasFailed) command.giveUp(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    if (predecessor) command.dependOn(*predecessor, each.passesFailure);
  }
}

// Runs of a sequence fail as the command does that could not be recorded, until the program forgets it.
void Session::record(const cluster::RecordCommand& record) {
  takePrograms();
  Ref<SequenceHolder>& holder = sequences_[record.sequence];
  if (!holder) holder = Ref<SequenceHolder>::adopt(new SequenceHolder);
  try {
    check(!holder->isSealed, CL_INVALID_VALUE, "a command for a sequence that has run");
    check(!std::holds_alternative<cluster::RunSequence>(record.work), CL_INVALID_VALUE, "a sequence in a sequence");
    holder->commands.push_back(
        Ref<RecordedCommand>::adopt(new RecordedCommand(makeCommand(record.work, known({link_->slots()})))));
  } catch (const Error& error) {
    CLOTHO_LOG(Device, Error, "a command of a sequence cannot be recorded: %s", error.why);
    holder->failure = error.code;
  }
}

void Session::write(const cluster::WriteBytes& write) {
  try {
    memory_->write(write.address, write.bytes);
  } catch (const Error& error) {
    CLOTHO_LOG(Device, Error, "bytes cannot be written: %s", error.why);
  }
}

void Session::chooseLocalSize(const cluster::ChooseLocalSize& question) {
  cluster::LocalSizeChosen answer{.question = question.question};
  try {
    takePrograms();
    check(question.dimensions >= 1 && question.dimensions <= 3 &&
              std::ranges::none_of(question.global, [](std::uint64_t size) { return size == 0; }),
          CL_INVALID_VALUE, "an impossible range");
    NDRange range;
    range.dimensions = question.dimensions;
    std::ranges::copy(question.global, range.global.begin());
    kernelOf(known({}), question.program, question.kernel).code->chooseLocalSize(range, device_.properties());
    std::ranges::copy(range.local, answer.local);
  } catch (const Error&) {
    // One work-item is always right.
  }
  send(answer);
}

} // namespace clotho::node
