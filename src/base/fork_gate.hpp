// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace clotho {

/// While one exists, a fork by another thread waits. For calls that take locks of the C library which a forked child
/// inherits as they are: the dynamic loader's and the locales'. Any number at once, for a moment each.
///
/// No mutex: the dynamic loader's lock may be held by an application's thread that enters here from a constructor, and
/// be waited for by one that is inside. For the same reason the fork does not wait for ever.
class ForkGate {
 public:
  ForkGate() noexcept;
  ~ForkGate();
  ForkGate(const ForkGate&) = delete;
  ForkGate& operator=(const ForkGate&) = delete;

  // Around fork, by one thread at a time.
  static void shut() noexcept;
  static void open() noexcept;
  static void openInChild() noexcept;
};

} // namespace clotho
