// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/bytes.hpp"

#include <concepts>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

/// Structures as bytes. A function `visitFields` beside each structure lists its fields once, and what is written, read
/// and hashed follows from that. It names them in a structured binding, so that a member that is added to the structure
/// and not to the list is an error of compilation. Beside each enumeration is a `lastOf`: larger values are none of it.
namespace clotho {

template <class Type, class Structure>
concept Of = std::same_as<std::remove_const_t<Type>, Structure>;

template <class Visit, class... Fields> void visitEach(Visit&& visit, Fields&... fields) { (visit(fields), ...); }

template <class Type> inline constexpr bool kIsList = false;
template <class Element> inline constexpr bool kIsList<std::vector<Element>> = true;

/// Visits fields by writing them.
class FieldWriter {
 public:
  explicit FieldWriter(ByteWriter& out) : out_(&out) {}

  template <class Type> void operator()(const Type& field) const {
    if constexpr (std::is_enum_v<Type>) {
      out_->enumerator(field);
    } else if constexpr (std::same_as<Type, bool>) {
      out_->boolean(field);
    } else if constexpr (std::same_as<Type, std::uint32_t>) {
      out_->u32(field);
    } else if constexpr (std::same_as<Type, std::uint64_t>) {
      out_->u64(field);
    } else if constexpr (std::same_as<Type, std::string>) {
      out_->text(field);
    } else if constexpr (kIsList<Type>) {
      out_->u64(field.size());
      for (const auto& element : field)
        (*this)(element);
    } else if constexpr (std::is_array_v<Type>) {
      for (const auto& element : field)
        (*this)(element);
    } else {
      visitFields(field, *this);
    }
  }

 private:
  ByteWriter* out_;
};

/// Visits fields by reading them, in the order in which FieldWriter has written them.
class FieldReader {
 public:
  explicit FieldReader(ByteReader& in) : in_(&in) {}

  template <class Type> void operator()(Type& field) const {
    if constexpr (std::is_enum_v<Type>) {
      field = in_->enumerator(lastOf(Type()));
    } else if constexpr (std::same_as<Type, bool>) {
      field = in_->boolean();
    } else if constexpr (std::same_as<Type, std::uint32_t>) {
      field = in_->u32();
    } else if constexpr (std::same_as<Type, std::uint64_t>) {
      field = in_->u64();
    } else if constexpr (std::same_as<Type, std::string>) {
      field = in_->text();
    } else if constexpr (kIsList<Type>) {
      readList(field);
    } else if constexpr (std::is_array_v<Type>) {
      for (auto& element : field)
        (*this)(element);
    } else {
      visitFields(field, *this);
    }
  }

 private:
  template <class Element> void readList(std::vector<Element>& list) const {
    // An element takes the least room when its texts and lists are empty, as they are at first.
    ByteWriter least;
    FieldWriter{least}(Element());
    const std::size_t count = in_->count(least.bytes().size());
    list.clear();
    list.reserve(count);
    for (std::size_t i = 0; i < count && in_->ok(); ++i)
      (*this)(list.emplace_back());
  }

  ByteReader* in_;
};

} // namespace clotho
