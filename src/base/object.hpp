// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/error.hpp"

#include <atomic>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace clotho {

template <class T> class Ref;

/// A counted object. Two counts: `refs` is the lifetime; `apiRefs` is what CL_*_REFERENCE_COUNT reports, and all of
/// the application's references together hold one of `refs`. So releasing too often is detected while work is pending.
/// A handle is valid while `refs` is not zero, whatever holds the references: from `adopt` to `destroy`.
class Object {
 public:
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  void retain() noexcept { refs_.fetch_add(1, std::memory_order_relaxed); }
  /// Retains an object that no other thread knows of yet, without an atomic addition.
  void retainUnshared() noexcept { refs_.store(refs_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  /// For who has no reference yet, only an address in a slab: false when the object is gone or is still being made.
  bool tryRetain() noexcept {
    cl_uint count = refs_.load(std::memory_order_relaxed);
    do
      if (count == 0) return false;
    while (!refs_.compare_exchange_weak(count, count + 1, std::memory_order_acquire, std::memory_order_relaxed));
    return true;
  }
  void release(cl_uint count = 1) noexcept {
    if (refs_.fetch_sub(count, std::memory_order_acq_rel) == count) destroy();
  }

  cl_uint apiRefs() const noexcept { return apiRefs_.load(std::memory_order_relaxed); }
  /// These two need no reference of the caller's, only that the address lies in a slab: an object that the application
  /// has references to is alive. An object that the application has none to may get its first again while it is alive.
  void apiRetain(cl_int invalid);
  /// Ends the application's hold on the object when this was its last reference.
  void apiRelease(cl_int invalid);

 protected:
  Object() = default;
  virtual ~Object() = default;
  /// Runs when nothing refers to the object any more; objects in slabs give their slot back.
  virtual void destroy() noexcept { delete this; }
  /// Runs after the application has given up its last reference or got its first one again. Other threads may have done
  /// the opposite since, and their call may come before this one: what counts is apiRefs() now.
  virtual void apiHoldChanged() noexcept {}

 private:
  template <class T> friend class Ref;
  template <class T> friend T::Handle handOut(Ref<T> object) noexcept;
  std::atomic<cl_uint> refs_{0}; // 0 until the object is complete, so that no call takes what is being made for it
  std::atomic<cl_uint> apiRefs_{0};
};

/// An owning pointer to a counted object.
template <class T> class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  explicit Ref(T& object) noexcept : object_(&object) { object.retain(); }
  Ref(const Ref& other) noexcept : object_(other.object_) {
    if (object_) object_->retain();
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
    requires std::is_convertible_v<U*, T*>
  Ref(Ref<U>&& other) noexcept : object_(other.detach()) {}
  template <class U>
    requires std::is_convertible_v<U*, T*>
  Ref(const Ref<U>& other) noexcept : object_(other.get()) {
    if (object_) object_->retain();
  }
  ~Ref() {
    if (object_) object_->release();
  }
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  /// The first reference to a new object, which is alive from here on.
  static Ref adopt(T* object) noexcept {
    object->refs_.store(1, std::memory_order_release);
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  /// One more reference to an object that no other thread knows of yet.
  static Ref toUnshared(T& object) noexcept {
    object.retainUnshared();
    Ref ref;
    ref.object_ = &object;
    return ref;
  }
  /// A reference to what may be gone, or an object that lies in the same slot of a slab now; null when nothing does.
  static Ref ifAlive(T* candidate) noexcept {
    Ref ref;
    if (candidate->tryRetain()) ref.object_ = candidate;
    return ref;
  }
  T* detach() noexcept { return std::exchange(object_, nullptr); }

  T* get() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) noexcept { return a.object_ == b.object_; }

 private:
  T* object_ = nullptr;
};

/// Gives an object to the application: its first API reference.
template <class T> T::Handle handOut(Ref<T> object) noexcept {
  object->apiRefs_.store(1, std::memory_order_release);
  return static_cast<T::Handle>(object.detach());
}

} // namespace clotho
