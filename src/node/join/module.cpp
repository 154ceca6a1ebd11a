// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What libclotho-fabric.so exports (fabric_module.hpp).
#include "node/fabric/mesh.hpp"
#include "node/join/fabric_module.hpp"
#include "node/join/pmix.hpp"

using clotho::node::Launcher;
using clotho::node::Mesh;

extern "C" __attribute__((visibility("default"))) Mesh* clothoOpenMesh(const Mesh::Options& options, std::string& why) {
  return clotho::node::openMesh(options, why).release();
}

extern "C" __attribute__((visibility("default"))) Launcher* clothoOpenPmix(std::string& why) {
  return clotho::node::openPmix(why).release();
}

static_assert(std::is_same_v<decltype(clothoOpenMesh), clotho::node::FabricModule::OpenMesh> &&
              std::is_same_v<decltype(clothoOpenPmix), clotho::node::FabricModule::OpenPmix>);
