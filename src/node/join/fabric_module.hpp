// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "node/fabric/mesh.hpp"
#include "node/join/launcher.hpp"

#include <memory>
#include <string>

namespace clotho::node {

/// The library that links UCX and PMIx, libclotho-fabric.so. It is loaded once a node is to meet others, so that a node
/// by itself has neither, and so that UCX finds its settings: it reads them when it is loaded.
class FabricModule {
 public:
  /// Loads it, the first time; sets variables of the environment for it. Null, and the reason in `why`, if it cannot be
  /// had. Call before there are threads that read the environment.
  static const FabricModule* load(std::string& why);

  std::unique_ptr<Mesh> openMesh(const Mesh::Options& options, std::string& why) const {
    return std::unique_ptr<Mesh>(openMesh_(options, why));
  }
  std::unique_ptr<Launcher> openPmix(std::string& why) const { return std::unique_ptr<Launcher>(openPmix_(why)); }

  // Types of the functions that the library exports, "clothoOpenMesh" and "clothoOpenPmix". The caller owns the result.
  using OpenMesh = Mesh*(const Mesh::Options& options, std::string& why);
  using OpenPmix = Launcher*(std::string& why);

 private:
  OpenMesh* openMesh_ = nullptr;
  OpenPmix* openPmix_ = nullptr;
};

} // namespace clotho::node
