// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/bytes.hpp"

#include <bit>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
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
template <class Type> inline constexpr bool kIsOptional = false;
template <class Value> inline constexpr bool kIsOptional<std::optional<Value>> = true;
template <class Type> inline constexpr bool kIsVariant = false;
template <class... Values> inline constexpr bool kIsVariant<std::variant<Values...>> = true;

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
    } else if constexpr (std::same_as<Type, std::uint8_t>) {
      out_->u8(field);
    } else if constexpr (std::same_as<Type, double> || std::same_as<Type, std::int64_t>) {
      out_->u64(std::bit_cast<std::uint64_t>(field));
    } else if constexpr (kIsOptional<Type>) {
      out_->boolean(field.has_value());
      if (field) (*this)(*field);
    } else if constexpr (kIsVariant<Type>) {
      out_->u8(static_cast<std::uint8_t>(field.index()));
      std::visit(*this, field);
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

/// Visits fields by making texts and lists empty, in which case a structure takes the least room.
struct FieldEmptier {
  template <class Type> void operator()(Type& field) const {
    if constexpr (std::same_as<Type, std::string> || kIsList<Type>) {
      field.clear();
    } else if constexpr (kIsOptional<Type>) {
      field.reset();
    } else if constexpr (std::is_class_v<Type> && !kIsVariant<Type>) {
      visitFields(field, *this);
    }
  }
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
    } else if constexpr (std::same_as<Type, std::uint8_t>) {
      field = in_->u8();
    } else if constexpr (std::same_as<Type, double> || std::same_as<Type, std::int64_t>) {
      field = std::bit_cast<Type>(in_->u64());
    } else if constexpr (kIsOptional<Type>) {
      field.reset();
      if (in_->boolean()) (*this)(field.emplace());
    } else if constexpr (kIsVariant<Type>) {
      readVariant(field);
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
    Element first{};
    FieldEmptier{}(first);
    ByteWriter least;
    FieldWriter{least}(first);
    const std::size_t count = in_->count(least.bytes().size());
    list.clear();
    list.reserve(count);
    for (std::size_t i = 0; i < count && in_->ok(); ++i)
      (*this)(list.emplace_back());
  }

  template <class... Values> void readVariant(std::variant<Values...>& field) const {
    const std::size_t index = in_->alternative(sizeof...(Values));
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (..., (index == I ? (*this)(field.template emplace<I>()) : void()));
    }(std::index_sequence_for<Values...>());
  }

  ByteReader* in_;
};

} // namespace clotho
