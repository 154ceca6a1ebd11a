// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/options.hpp"
#include "base/text_file.hpp"
#include "capture/capture.hpp"
#include "compiler/client/binary_format.hpp"
#include "runtime/objects/program.hpp"
#include "runtime/objects/program_operation.hpp"

// Recipes of programs: what captured launches (CLOTHO_CAPTURE) say of how their program was built.
namespace clotho {

std::shared_ptr<const capture::Program> Program::recipeOf(const Build& build, const Build& old,
                                                          const Operation& operation) const {
  auto recipe = std::make_shared<capture::Program>();
  if (origin_ == Origin::Linked) {
    recipe->isLinked = true;
    recipe->linkOptions = build.options;
    for (const Ref<Program>& input : operation.inputs) {
      const Build& part = input->buildFor(*build.device);
      if (part.recipe) {
        recipe->units.insert(recipe->units.end(), part.recipe->units.begin(), part.recipe->units.end());
      } else if (input->origin_ == Origin::Binary && part.result) { // linked as it was created
        capture::Unit& unit = recipe->units.emplace_back();
        unit.language = capture::Language::Binary;
        unit.text = encodeBinary(part.type, part.options, build.device->target(), options().check, *part.result);
      } else {
        return nullptr; // its launches are not captured
      }
    }
    return recipe;
  }
  capture::Unit& unit = recipe->units.emplace_back();
  unit.options = build.options;
  unit.folder = operation.workingDirectory;
  if (origin_ == Origin::Binary) {
    unit.language = capture::Language::Binary;
    unit.text = encodeBinary(old.type, old.options, build.device->target(), options().check, *old.result);
    return recipe;
  }
  unit.language = origin_ == Origin::Il ? capture::Language::Il : capture::Language::Source;
  unit.text = origin_ == Origin::Il ? il_ : source_;
  for (const Header& header : operation.headers)
    unit.headers.push_back({header.name, header.text});
  for (const SpecConstant& constant : operation.specConstants)
    unit.constants.push_back({constant.id, constant.bytes});
  for (const Dependency& dependency : build.result->dependencies)
    if (!dependency.isAbsence()) unit.files.push_back({dependency.path, readTextFile(dependency.path)});
  return recipe;
}

} // namespace clotho
