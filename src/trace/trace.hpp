// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "trace/counters.hpp"
#include "trace/record.hpp"
#include "trace/tick_clock.hpp"

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

/// The trace of a process (CLOTHO_TRACE) as the rest of the driver sees it: `isOn`, and functions that record. All may
/// be called by any thread and throw nothing; they do nothing while the trace is off. docs/architecture/trace.md.
namespace clotho::trace {

class Recorder;

/// The process's recorder; null while there is no trace.
extern constinit std::atomic<Recorder*> currentRecorder;

inline bool isOn() noexcept { return currentRecorder.load(std::memory_order_relaxed) != nullptr; }

/// Starts the trace if CLOTHO_TRACE asks for one. Before commands exist; once in a process, and once more in each
/// forked child that uses OpenCL.
void start() noexcept;
/// The child has the parent's memory, but not its trace.
void afterForkInChild() noexcept;

/// Adds to what the calling thread has recorded.
void add(const Record& record) noexcept;

/// The number of a text.
NameId nameOf(std::string_view text) noexcept;

/// A number that is looked up once: of a constant text, or of what a long-lived object is called.
class CachedName {
 public:
  constexpr CachedName() = default;
  /// `text()` makes the text.
  template <class Text> NameId get(Text&& text) const noexcept {
    const std::uint64_t known = known_.load(std::memory_order_relaxed);
    if (known >> 32 == generation()) [[likely]]
      return static_cast<NameId>(known);
    const NameId name = nameOf(text());
    known_.store(std::uint64_t{generation()} << 32 | name, std::memory_order_relaxed);
    return name;
  }

 private:
  /// Differs between a parent and its forked children, whose recorders number texts anew; never 0.
  static std::uint32_t generation() noexcept;
  mutable std::atomic<std::uint64_t> known_{0};
};

/// A constant text with its number.
class Name {
 public:
  constexpr explicit Name(const char* text) : text_(text) {}
  const char* text() const noexcept { return text_; }
  NameId id() const noexcept {
    return cached_.get([this] { return text_; });
  }

 private:
  const char* text_;
  CachedName cached_;
};

/// A new queue of a device, which `device` identifies: its number, 0 if there is no trace.
std::uint32_t addQueue(const void* device, std::string_view deviceName, std::string_view label) noexcept;

/// The number of the queue whose commands are the transfers that `owner` does; the same in each call.
std::uint32_t transferQueue(const void* owner) noexcept;

/// Records what the calling thread does while this lives.
class Scope {
 public:
  explicit Scope(const Name& name, NameId detail = 0) noexcept
      : begin_(isOn() ? stampNow() : 0), name_(&name), detail_(detail) {}
  ~Scope() {
    if (begin_) [[unlikely]]
      add(Span{.begin = begin_, .end = stampNow(), .name = name_->id(), .detail = detail_});
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  bool isTraced() const noexcept { return begin_ != 0; }
  std::uint64_t begin() const noexcept { return begin_; }
  void setDetail(NameId detail) noexcept { detail_ = detail; }

 private:
  const std::uint64_t begin_;
  const Name* name_;
  NameId detail_;
};

/// The beginning of the calling thread's part in a command.
struct PartBegin {
  std::uint64_t time = 0; ///< 0: there is no trace
  CounterValues counters{};
};
inline PartBegin beginPart() noexcept { return isOn() ? PartBegin{stampNow(), countersNow()} : PartBegin(); }
/// Its end, if there is a trace. `chunks`: how much it has run of a shared command.
void endPart(const PartBegin& begin, NameId name, std::uint32_t chunks = 0) noexcept;

/// Records that something was found out now.
void note(std::string_view text) noexcept;

} // namespace clotho::trace
