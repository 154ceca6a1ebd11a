// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// How often a function was called through the layer; what the layer's library exports beside what loaders look up.
using CountingLayerCalls = unsigned long(const char* function);
inline constexpr const char* kCountingLayerCalls = "countingLayerCalls";
inline constexpr const char* kCountingLayerName = "clotho counting layer";
