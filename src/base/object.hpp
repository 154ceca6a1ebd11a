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
class Object {
 public:
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  void retain() noexcept { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }

  cl_uint apiRefs() const noexcept { return apiRefs_.load(std::memory_order_relaxed); }
  void apiRetain(cl_int invalid);
  /// Ends the application's hold on the object when this was its last reference.
  void apiRelease(cl_int invalid);

 protected:
  Object() = default;
  virtual ~Object() = default;
  /// Runs when nothing refers to the object any more; objects in slabs give their slot back.
  virtual void destroy() noexcept { delete this; }
  /// Runs once, when the application has released its last reference: the handle is dead, the object may live on.
  virtual void lastApiRelease() noexcept {}

 private:
  template <class T> friend class Ref;
  template <class T> friend T::Handle handOut(Ref<T> object) noexcept;
  std::atomic<cl_uint> refs_{1};
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
  ~Ref() {
    if (object_) object_->release();
  }
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  /// Takes over the reference that a new object is born with.
  static Ref adopt(T* object) noexcept {
    Ref ref;
    ref.object_ = object;
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
