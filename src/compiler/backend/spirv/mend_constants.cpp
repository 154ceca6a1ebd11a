// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/spirv/mend_constants.hpp"

#include <spirv/unified1/spirv.hpp>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace clotho::compiler {
namespace {

using Id = std::uint32_t;
using Words = std::vector<std::uint32_t>;

constexpr std::size_t kHeaderWords = 5, kBoundAt = 3;

/// Rewrites a module, instruction by instruction.
class ConstantMender {
 public:
  explicit ConstantMender(std::span<const std::uint32_t> words) : words_(words), bound_(words[kBoundAt]) {}

  Words run() {
    out_.assign(words_.begin(), words_.begin() + kHeaderWords);
    for (std::size_t at = kHeaderWords, length; at < words_.size(); at += length) {
      length = words_[at] >> spv::WordCountShift;
      if (length == 0 || length > words_.size() - at)
        return {words_.begin(), words_.end()}; // This is no module of clang's.
      copy(words_.subspan(at, length));
    }
    out_[kBoundAt] = bound_;
    return std::move(out_);
  }

 private:
  void copy(std::span<const std::uint32_t> from) {
    Words words(from.begin(), from.end());
    switch (words[0] & spv::OpCodeMask) {
    case spv::OpTypeInt:
      if (words[2] == 8) byte_ = words[1];
      break;
    case spv::OpTypePointer:
      parts_[words[1]] = {words[3]};
      pointers_.insert(words[1]);
      break;
    case spv::OpTypeArray:
      parts_[words[1]] = {words[2]};
      if (words[2] == byte_) bytes_.insert(words[1]);
      break;
    case spv::OpTypeStruct: parts_[words[1]] = {words.begin() + 2, words.end()}; break;
    case spv::OpConstantNull: typeOfNull_[words[2]] = words[1]; break;
    case spv::OpConstantComposite:
      for (std::size_t i = 3; i < words.size(); ++i)
        mendPart(words[i], partOf(words[1], i - 3));
      break;
    case spv::OpVariable:
      if (words[3] != spv::StorageClassFunction) typeOfAddress_[words[2]] = words[1];
      if (words.size() > 4 && words[3] != spv::StorageClassFunction) mendPart(words[4], partOf(words[1], 0));
      break;
    case spv::OpSpecConstantOp:
      mendAddress(words);
      if (pointers_.contains(words[1])) typeOfAddress_[words[2]] = words[1];
      break;
    default: break;
    }
    out_.insert(out_.end(), words.begin(), words.end());
  }

  /// The type of a member of a composite, or the pointee type of a pointer; 0: unknown.
  Id partOf(Id type, std::size_t index) const {
    const auto found = parts_.find(type);
    if (found == parts_.end()) return 0;
    const Words& parts = found->second;
    if (parts.size() == 1) return parts[0];
    return index < parts.size() ? parts[index] : 0;
  }

  void write(spv::Op op, std::initializer_list<std::uint32_t> operands) {
    out_.push_back(static_cast<std::uint32_t>(operands.size() + 1) << spv::WordCountShift | op);
    out_.insert(out_.end(), operands);
  }

  /// Gives `value` the wanted type, if it is a null or an address of another type.
  void mendPart(Id& value, Id type) {
    if (type == 0) return;
    if (const auto found = typeOfNull_.find(value); found != typeOfNull_.end() && found->second != type) {
      Id& null = nulls_[type];
      if (null == 0) {
        null = bound_++;
        write(spv::OpConstantNull, {type, null});
      }
      value = null;
    } else if (const auto address = typeOfAddress_.find(value);
               address != typeOfAddress_.end() && address->second != type && pointers_.contains(type)) {
      value = addressAs(type, value);
    }
  }

  Id addressAs(Id type, Id other) {
    Id& address = addresses_[{type, other}];
    if (address == 0) {
      address = bound_++;
      write(spv::OpSpecConstantOp, {type, address, spv::OpBitcast, other});
    }
    return address;
  }

  /// Rewrites OpSpecConstantOp TYPE RESULT OpInBoundsPtrAccessChain BASE NULL BYTES, where TYPE points to bytes.
  void mendAddress(Words& words) {
    const std::uint32_t op = words[3];
    const bool isAddress = op == spv::OpInBoundsPtrAccessChain || op == spv::OpPtrAccessChain;
    if (!isAddress || words.size() != 7 || byte_ == 0 || partOf(words[1], 0) != byte_) return;
    const auto base = typeOfAddress_.find(words[4]);
    if (base == typeOfAddress_.end()) return;
    const Id pointee = partOf(base->second, 0);
    if (pointee == byte_ || bytes_.contains(pointee) || !typeOfNull_.contains(words[5]))
      return; // bytes are its elements
    words[4] = addressAs(words[1], words[4]);
    words.erase(words.begin() + 5);
    words[0] = 6U << spv::WordCountShift | spv::OpSpecConstantOp;
  }

  std::span<const std::uint32_t> words_;
  Id bound_, byte_ = 0;
  Words out_;
  std::map<Id, Words> parts_; // of types: what they consist of; of arrays the one type
  std::map<Id, Id> typeOfNull_, typeOfAddress_;
  std::set<Id> pointers_;                     // types
  std::set<Id> bytes_;                        // types: arrays of bytes
  std::map<Id, Id> nulls_;                    // made here, by their types
  std::map<std::pair<Id, Id>, Id> addresses_; // made here: those of variables, as pointers of another type
};

} // namespace

void mendConstants(std::string& spirv) {
  Words words(spirv.size() / sizeof(std::uint32_t));
  if (words.size() < kHeaderWords) return;
  std::memcpy(words.data(), spirv.data(), words.size() * sizeof(std::uint32_t));
  words = ConstantMender(words).run();
  spirv.assign(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint32_t));
}

} // namespace clotho::compiler
