// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/fields.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// The messages of a program and its node to each other by the rings (ring.hpp). Addresses are the node's. Commands
/// have numbers, which are never used again, and carry the numbers of those that they follow: one that the node does
/// not know has ended.
namespace clotho::cluster {

/// Changes with each change of what is said, here or in setup.hpp.
inline constexpr std::uint32_t kVersion = 7;

// --- Commands ---

/// One end of a copy.
struct Place {
  enum class Kind : std::uint8_t {
    Device, ///< `address` in the device's memory
    Slots,  ///< `address` from the beginning of the slots on (SharedArea), rows without gaps
  };
  Kind kind = Kind::Device;
  std::uint64_t address = 0;
};

/// A memory object among the arguments of a launch: bytes of a piece of memory (UseMemory).
struct ArgumentObject {
  std::uint64_t begin = 0, size = 0;
  bool isReadOnly = false;
};

struct RunLaunch {
  std::uint64_t program = 0; ///< by the number that the program has given it
  std::uint32_t kernel = 0;  ///< index among the kernels of the build (setup.hpp)
  std::uint32_t dimensions = 1;
  std::uint64_t offset[3] = {0, 0, 0}, global[3] = {1, 1, 1}, local[3] = {1, 1, 1};
  std::string args{};                    ///< the argument block
  std::vector<ArgumentObject> objects{}; ///< in the order of ArgSnapshot
  std::uint32_t bufferCount = 0, readImageCount = 0;
  std::uint64_t localBytes = 0, largestPointed = 0;
  bool arePointersApart = true, zeroesLocal = false;
};

struct RunCopy {
  Place source{}, target{};
  std::uint64_t rowBytes = 0, rows = 1, slices = 1;
  std::uint64_t sourceRowPitch = 0, sourceSlicePitch = 0, targetRowPitch = 0, targetSlicePitch = 0;
  bool mayOverlap = false;
};

struct RunFill {
  std::uint64_t target = 0;
  std::string pattern{};
  std::uint64_t rowBytes = 0, rows = 1, slices = 1, rowPitch = 0, slicePitch = 0;
};

struct RunNothing {};

/// Runs what RecordCommand has given a sequence.
struct RunSequence {
  std::uint64_t sequence = 0;
};

/// Another session of the same program: the node where it is, as the program's own node knows that, which is 0 itself.
struct PeerSession {
  std::uint64_t node = 0, session = 0;
};

/// Sends bytes to another session, whose command with the same edge receives them.
struct SendBytes {
  std::uint64_t address = 0, size = 0;
  PeerSession to{};
  std::uint64_t edge = 0;
};

struct ReceiveBytes {
  std::uint64_t address = 0, size = 0;
  PeerSession from{};
  std::uint64_t edge = 0;
};

using Work = std::variant<RunLaunch, RunCopy, RunFill, RunNothing, RunSequence, SendBytes, ReceiveBytes>;

// --- From the program to its node ---

/// A command that another one follows.
struct Predecessor {
  std::uint64_t number = 0;   ///< or the edge that a TellEnd names, if it is of another session
  bool passesFailure = false; ///< if it fails, the other one does not run
  PeerSession peer{};         ///< its session; number 0: the same
};

struct RunCommand {
  std::uint64_t number = 0;
  std::uint32_t queue = 0;
  /// How many messages of type Ended the program has handled: it never names a command again that failed by one of
  /// these, so the node forgets such failures.
  std::uint64_t endsHandled = 0;
  std::vector<Predecessor> after{};
  Work work{};
};

/// Asks for the end of a command to be told to another session, one of whose commands follows it. Edges have numbers of
/// the session that is told, which are never used again.
struct TellEnd {
  std::uint64_t number = 0;
  PeerSession to{};
  std::uint64_t edge = 0;
};

/// Another session is lost: what waits for it fails.
struct ForgetPeer {
  std::uint64_t session = 0;
};

/// Adds to a sequence, which begins with its first command.
struct RecordCommand {
  std::uint64_t sequence = 0;
  Work work{}; ///< no sequence, and nothing of other sessions
};

struct ForgetSequence {
  std::uint64_t sequence = 0;
};

/// Puts a few bytes into the device's memory before any later command begins.
struct WriteBytes {
  std::uint64_t address = 0;
  std::string bytes{};
};

/// Memory of the window that is used from now on, and no longer. A node without memory for it fails the commands that
/// use it.
struct UseMemory {
  std::uint64_t address = 0, size = 0;
};
struct FreeMemory {
  std::uint64_t address = 0;
};

struct MakeQueue {
  std::uint32_t queue = 0;
  bool isInOrder = true;
};
struct DropQueue {
  std::uint32_t queue = 0;
};
struct DropProgram {
  std::uint64_t program = 0;
};

/// Asks for the local size of a launch whose program leaves the choice to the device.
struct ChooseLocalSize {
  std::uint64_t question = 0, program = 0;
  std::uint32_t kernel = 0, dimensions = 1;
  std::uint64_t global[3] = {1, 1, 1};
};

using ToNode = std::variant<RunCommand, RecordCommand, ForgetSequence, WriteBytes, UseMemory, FreeMemory, MakeQueue,
                            DropQueue, DropProgram, ChooseLocalSize, TellEnd, ForgetPeer>;

// --- From the node to its program ---

/// A command is over. Times are ns of the program's clock.
struct Ended {
  std::uint64_t number = 0;
  std::uint32_t status = 0; ///< a cl_int
  std::uint64_t started = 0, ended = 0;
};

/// An error of a command, told before its end.
struct Reported {
  enum class Level : std::uint8_t { Error, Warn, Info };
  std::uint64_t number = 0;
  Level level = Level::Error;
  std::string text{};
};

/// The output of a command's kernels, or a part of it, told before its end.
struct Printed {
  std::uint64_t number = 0;
  std::string text{};
};

struct LocalSizeChosen {
  std::uint64_t question = 0;
  std::uint64_t local[3] = {1, 1, 1};
};

using ToHost = std::variant<Ended, Reported, Printed, LocalSizeChosen>;

/// Longest text of one message; longer ones go in parts or are cut off. Well below what a ring takes.
inline constexpr std::size_t kMostText = std::size_t{32} << 10;

/// The message in the bytes; nothing if they are damaged.
template <class Message> std::optional<Message> decode(std::string_view bytes) {
  ByteReader in(bytes);
  Message message;
  FieldReader{in}(message);
  if (!in.finished()) return std::nullopt;
  return message;
}

// --- Fields (base/fields.hpp) ---

constexpr Place::Kind lastOf(Place::Kind) { return Place::Kind::Slots; }
constexpr Reported::Level lastOf(Reported::Level) { return Reported::Level::Info; }

template <Of<Place> Type, class Visit> void visitFields(Type& place, Visit&& visit) {
  auto& [kind, address] = place;
  visitEach(visit, kind, address);
}

template <Of<ArgumentObject> Type, class Visit> void visitFields(Type& object, Visit&& visit) {
  auto& [begin, size, isReadOnly] = object;
  visitEach(visit, begin, size, isReadOnly);
}

template <Of<RunLaunch> Type, class Visit> void visitFields(Type& launch, Visit&& visit) {
  auto& [program, kernel, dimensions, offset, global, local, args, objects, bufferCount, readImageCount, localBytes,
         largestPointed, arePointersApart, zeroesLocal] = launch;
  visitEach(visit, program, kernel, dimensions, offset, global, local, args, objects, bufferCount, readImageCount,
            localBytes, largestPointed, arePointersApart, zeroesLocal);
}

template <Of<RunCopy> Type, class Visit> void visitFields(Type& copy, Visit&& visit) {
  auto& [source, target, rowBytes, rows, slices, sourceRowPitch, sourceSlicePitch, targetRowPitch, targetSlicePitch,
         mayOverlap] = copy;
  visitEach(visit, source, target, rowBytes, rows, slices, sourceRowPitch, sourceSlicePitch, targetRowPitch,
            targetSlicePitch, mayOverlap);
}

template <Of<RunFill> Type, class Visit> void visitFields(Type& fill, Visit&& visit) {
  auto& [target, pattern, rowBytes, rows, slices, rowPitch, slicePitch] = fill;
  visitEach(visit, target, pattern, rowBytes, rows, slices, rowPitch, slicePitch);
}

template <Of<RunNothing> Type, class Visit> void visitFields(Type&, Visit&&) {}

template <Of<RunSequence> Type, class Visit> void visitFields(Type& run, Visit&& visit) {
  auto& [sequence] = run;
  visit(sequence);
}

template <Of<PeerSession> Type, class Visit> void visitFields(Type& peer, Visit&& visit) {
  auto& [node, session] = peer;
  visitEach(visit, node, session);
}

template <Of<SendBytes> Type, class Visit> void visitFields(Type& send, Visit&& visit) {
  auto& [address, size, to, edge] = send;
  visitEach(visit, address, size, to, edge);
}

template <Of<ReceiveBytes> Type, class Visit> void visitFields(Type& receive, Visit&& visit) {
  auto& [address, size, from, edge] = receive;
  visitEach(visit, address, size, from, edge);
}

template <Of<Predecessor> Type, class Visit> void visitFields(Type& predecessor, Visit&& visit) {
  auto& [number, passesFailure, peer] = predecessor;
  visitEach(visit, number, passesFailure, peer);
}

template <Of<TellEnd> Type, class Visit> void visitFields(Type& tell, Visit&& visit) {
  auto& [number, to, edge] = tell;
  visitEach(visit, number, to, edge);
}

template <Of<ForgetPeer> Type, class Visit> void visitFields(Type& forget, Visit&& visit) {
  auto& [session] = forget;
  visit(session);
}

template <Of<RunCommand> Type, class Visit> void visitFields(Type& command, Visit&& visit) {
  auto& [number, queue, endsHandled, after, work] = command;
  visitEach(visit, number, queue, endsHandled, after, work);
}

template <Of<RecordCommand> Type, class Visit> void visitFields(Type& command, Visit&& visit) {
  auto& [sequence, work] = command;
  visitEach(visit, sequence, work);
}

template <Of<ForgetSequence> Type, class Visit> void visitFields(Type& forget, Visit&& visit) {
  auto& [sequence] = forget;
  visit(sequence);
}

template <Of<WriteBytes> Type, class Visit> void visitFields(Type& write, Visit&& visit) {
  auto& [address, bytes] = write;
  visitEach(visit, address, bytes);
}

template <Of<UseMemory> Type, class Visit> void visitFields(Type& memory, Visit&& visit) {
  auto& [address, size] = memory;
  visitEach(visit, address, size);
}

template <Of<FreeMemory> Type, class Visit> void visitFields(Type& memory, Visit&& visit) {
  auto& [address] = memory;
  visit(address);
}

template <Of<MakeQueue> Type, class Visit> void visitFields(Type& make, Visit&& visit) {
  auto& [queue, isInOrder] = make;
  visitEach(visit, queue, isInOrder);
}

template <Of<DropQueue> Type, class Visit> void visitFields(Type& drop, Visit&& visit) {
  auto& [queue] = drop;
  visit(queue);
}

template <Of<DropProgram> Type, class Visit> void visitFields(Type& drop, Visit&& visit) {
  auto& [program] = drop;
  visit(program);
}

template <Of<ChooseLocalSize> Type, class Visit> void visitFields(Type& choose, Visit&& visit) {
  auto& [question, program, kernel, dimensions, global] = choose;
  visitEach(visit, question, program, kernel, dimensions, global);
}

template <Of<Ended> Type, class Visit> void visitFields(Type& end, Visit&& visit) {
  auto& [number, status, started, ended] = end;
  visitEach(visit, number, status, started, ended);
}

template <Of<Reported> Type, class Visit> void visitFields(Type& report, Visit&& visit) {
  auto& [number, level, text] = report;
  visitEach(visit, number, level, text);
}

template <Of<Printed> Type, class Visit> void visitFields(Type& print, Visit&& visit) {
  auto& [number, text] = print;
  visitEach(visit, number, text);
}

template <Of<LocalSizeChosen> Type, class Visit> void visitFields(Type& chosen, Visit&& visit) {
  auto& [question, local] = chosen;
  visitEach(visit, question, local);
}

} // namespace clotho::cluster
