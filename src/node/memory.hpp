// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "cluster/messages.hpp"
#include "command/storage.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

namespace clotho::node {

/// A memory object of a program, as its node knows it: bytes that lie in one place.
class RemoteObject final : public MemoryView {
 public:
  /// `pages`: keeps the bytes usable.
  RemoteObject(Ref<Object> pages, Ref<Storage> storage, std::uint64_t begin, std::size_t size, bool isReadOnly)
      : MemoryView(std::move(storage), begin, size, isReadOnly), pages_(std::move(pages)) {}

 private:
  const Ref<Object> pages_;
};

/// The memory of a session: a window of addresses, of which the program uses pieces. Everything that a message says of
/// memory is looked up here before it is used.
class Memory {
 public:
  /// Memory of this process, at addresses that the program has chosen; `isReserved()` is false if something is there.
  Memory(std::uint64_t window, std::uint64_t size);
  /// So much of a device's own memory; `isReserved()` is false if it has not so much. It is at these addresses if the
  /// device can place memory (DeviceMemory::canPlace); then `isReserved()` is false also if something is there.
  Memory(DeviceMemory& device, std::uint64_t window, std::uint64_t size);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  bool isReserved() const { return isReserved_; }
  std::uint64_t window() const { return window_; }
  /// Counts the parts of memory that are given back to the system, by any thread: large pieces take long, and a program
  /// sees by the number that its node goes on.
  void countParts(std::atomic<std::uint64_t>& parts) { parts_ = &parts; }
  /// Has large pieces given back to the system by `later(task)`, a thread of its own for each, since threads that must
  /// not wait may free them. `later` returns false if there is none.
  using Later = std::function<bool(std::function<void()> task)>;
  void giveBackLater(Later later) { later_ = std::move(later); }
  /// Gives memory to a piece of the window. False if that cannot be; where the reason is that there is no memory, what
  /// uses the piece fails with CL_MEM_OBJECT_ALLOCATION_FAILURE.
  bool use(std::uint64_t address, std::uint64_t size) EXCLUDES(mutex_);
  /// Takes it away again, as soon as no command keeps it that is under way.
  void free(std::uint64_t address) noexcept EXCLUDES(mutex_);

  /// Bytes of one piece; throws CL_INVALID_VALUE if it has no such bytes.
  std::byte* at(std::uint64_t address, std::uint64_t size) EXCLUDES(mutex_);
  /// Puts bytes there; throws like at(), or CL_OUT_OF_RESOURCES if the device fails.
  void write(std::uint64_t address, std::string_view bytes) EXCLUDES(mutex_);
  /// Bytes of a command, which keeps them usable. Throws like at().
  Ref<MemoryView> operand(std::uint64_t address, std::uint64_t size) EXCLUDES(mutex_);
  /// An argument as launches know it; the same object for the same argument, until trim(). Throws like at().
  Ref<RemoteObject> object(const cluster::ArgumentObject& object) EXCLUDES(mutex_);
  /// Forgets all objects if there are more than kMostObjects. Those that commands keep live on.
  void trim() noexcept EXCLUDES(mutex_);
  static constexpr std::size_t kMostObjects = 16384;

 private:
  struct Key {
    std::uint64_t begin, size, isReadOnly;
    auto operator<=>(const Key&) const = default;
  };
  /// Memory that the program has asked for, and the objects in it.
  struct Piece {
    std::uint64_t size = 0;
    Ref<Storage> storage; ///< null: the node has no memory for it
    Ref<Object> pages;    ///< null: of a device, or none
    std::map<Key, Ref<RemoteObject>> objects;
  };
  using Pieces = std::map<std::uint64_t, Piece>;
  class Pages;

  /// Gives memory to the pages of a piece that is known already. False if there is none, or if a command still has what
  /// was there before.
  bool givePages(std::uint64_t address, Piece& piece) REQUIRES(mutex_);
  void takePages(std::uint64_t address, std::uint64_t size) noexcept EXCLUDES(mutex_);
  /// Has the pages given back by another thread, which are elsewhere then, and others at their addresses. False if that
  /// cannot be.
  bool moveAway(std::uint64_t address, std::uint64_t size) noexcept;
  /// The piece with all of these bytes.
  Piece& pieceWith(std::uint64_t address, std::uint64_t size, std::uint64_t& begin) REQUIRES(mutex_);

  DeviceMemory* const device_ = nullptr; ///< null: the memory is this process's
  void* const allocation_ = nullptr;     ///< of the device, in which the window begins on a page; null: it is placed
  const std::uint64_t window_, size_;
  bool isReserved_ = false;
  HostMemory none_{0}; ///< storages are made over memory that there is
  const Ref<Homes> homes_;
  Mutex mutex_;
  std::atomic<std::uint64_t>* parts_ = nullptr;
  Later later_;
  Pieces pieces_ GUARDED_BY(mutex_);
  std::size_t objectCount_ GUARDED_BY(mutex_) = 0;                   ///< made since the last trim()
  std::map<std::uint64_t, std::uint64_t> usable_ GUARDED_BY(mutex_); ///< pages with memory: begin and bytes
};

} // namespace clotho::node
