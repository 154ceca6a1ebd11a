// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "cluster/messages.hpp"
#include "cluster/shared_area.hpp"
#include "command/command.hpp"

#include <array>
#include <cstdint>

namespace clotho {
class Node;
class WorkList;
} // namespace clotho

namespace clotho::cluster {

class Session;

/// Copies between the application's memory and a device's. Their bytes go by way of the slots that both processes have,
/// in parts, of which several are under way at a time. The thread that starts a copy fills the first slots; those that
/// receive the ends of parts fill or empty the others.
class HostCopies {
 public:
  explicit HostCopies(Session& session);

  /// Begins a copy, by a queue of the node. `isWrite`: its target is the device's memory.
  void start(Node& node, std::uint32_t queue, bool isWrite, WorkList& ready) noexcept EXCLUDES(mutex_);
  /// The part in a slot is over; by the session.
  void ended(Node& node, std::uint32_t slot, const Ended& end, WorkList& list) noexcept EXCLUDES(mutex_);

 private:
  /// Most parts of a copy under way: enough for both processes to be busy.
  static constexpr std::uint32_t kMostOfCopy = 16;

  /// A copy that is under way. Lies in its node (Node::deviceState).
  struct Running {
    Copy all;                                 ///< in few dimensions
    std::size_t slice = 0, row = 0, byte = 0; ///< where the next part begins
    std::uint64_t started = 0, ended = 0;     ///< times at the node, of all parts
    Node* nextWaiting = nullptr;
    std::uint32_t queue = 0;
    std::uint32_t parts = 0;   ///< under way
    std::uint32_t senders = 0; ///< threads that send parts
    cl_int status = CL_COMPLETE;
    bool isWrite = false, isWaiting = false;

    /// Whether nothing is left to send.
    bool isSent() const { return status < 0 || slice == all.slices; }
    /// The next part that fits into a slot.
    Copy next() noexcept;
  };

  static Running& runningOf(Node& node);
  /// Goes on with a copy of which the caller is a sender, and then with such as wait for what that gives back.
  void goOn(Node& node, WorkList& list) noexcept EXCLUDES(mutex_);
  /// Sends parts of a copy as long as there are any, and slots for them. What goOn() is to go on with, or null.
  Node* sendParts(Node& node) noexcept EXCLUDES(mutex_);
  /// Takes the next part and a slot for it; false if there is no part, or no slot, for which the copy then waits.
  bool takePart(Node& node, std::uint32_t& slot, Copy& part) noexcept EXCLUDES(mutex_);
  bool send(Node& node, std::uint32_t slot, const Copy& part, cl_int& failure) noexcept;
  /// Gives a slot back. A copy that has waited for one, of which the caller is a sender now; or null.
  Node* free(std::uint32_t slot) noexcept REQUIRES(mutex_);
  /// The calling thread sends no more parts. Ends the copy if none is left, none is under way, and no thread sends any.
  void release(Node& node, WorkList& list) noexcept EXCLUDES(mutex_);
  std::byte* bytesOfSlot(std::uint32_t slot) const noexcept;

  Session& session_;
  Mutex mutex_;
  std::array<std::uint32_t, SharedArea::kSlots> free_ GUARDED_BY(mutex_);
  std::size_t freeCount_ GUARDED_BY(mutex_) = SharedArea::kSlots;
  std::array<Copy, SharedArea::kSlots> parts_; ///< in slots that are in use, by the threads that have to do with them
  Node* waiting_ GUARDED_BY(mutex_) = nullptr; ///< copies without any slot, first come first
  Node* lastWaiting_ GUARDED_BY(mutex_) = nullptr;
};

} // namespace clotho::cluster
