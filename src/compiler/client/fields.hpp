// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/fields.hpp"
#include "compiler/compiler.hpp"

/// Fields of the types that are sent to the compiler and back (base/fields.hpp), for the protocol and the caches' keys.
namespace clotho {

template <Of<Target> Type, class Visit> void visitFields(Type& target, Visit&& visit) {
  auto& [kind, cpu, features, width, subGroupSize, skippedPasses] = target;
  visitEach(visit, kind, cpu, features, width, subGroupSize, skippedPasses);
}

template <Of<Header> Type, class Visit> void visitFields(Type& header, Visit&& visit) {
  auto& [name, text] = header;
  visitEach(visit, name, text);
}

template <Of<Claims> Type, class Visit> void visitFields(Type& claims, Visit&& visit) {
  auto& [words] = claims;
  visitEach(visit, words);
}

template <Of<CodeVersion::LocalSize> Type, class Visit> void visitFields(Type& local, Visit&& visit) {
  auto& [size, mayHaveOffset] = local;
  visitEach(visit, size[0], size[1], size[2], mayHaveOffset);
}

template <Of<CodeVersion::Format> Type, class Visit> void visitFields(Type& format, Visit&& visit) {
  auto& [order, type, isSmall] = format;
  visitEach(visit, order, type, isSmall);
}

template <Of<CodeVersion::Sampler> Type, class Visit> void visitFields(Type& sampler, Visit&& visit) {
  auto& [number] = sampler;
  visit(number);
}

template <Of<CodeVersion::Integer> Type, class Visit> void visitFields(Type& integer, Visit&& visit) {
  auto& [value] = integer;
  visit(value);
}

template <Of<CodeVersion::Argument> Type, class Visit> void visitFields(Type& argument, Visit&& visit) {
  auto& [index, what] = argument;
  visitEach(visit, index, what);
}

template <Of<CodeVersion> Type, class Visit> void visitFields(Type& version, Visit&& visit) {
  auto& [local, rows, arguments, width] = version;
  visitEach(visit, local, rows, arguments, width);
}

template <Of<SpecConstant> Type, class Visit> void visitFields(Type& constant, Visit&& visit) {
  auto& [id, bytes] = constant;
  visitEach(visit, id, bytes);
}

template <Of<BuildRequest> Type, class Visit> void visitFields(Type& request, Visit&& visit) {
  auto& [kind, source, il, options, workingDirectory, headers, modules, target, openclVersion, claims, kernel, version,
         specConstants, scope, makesParts] = request;
  visitEach(visit, kind, source, il, options, workingDirectory, headers, modules, target, openclVersion, claims, kernel,
            version, specConstants, scope, makesParts);
}

template <Of<ArgInfo> Type, class Visit> void visitFields(Type& argument, Visit&& visit) {
  auto& [kind, address, access, typeQualifiers, size, alignment, offset, name, typeName, imageType, isDepth, maxBytes] =
      argument;
  visitEach(visit, kind, address, access, typeQualifiers, size, alignment, offset, name, typeName, imageType, isDepth,
            maxBytes);
}

template <Of<KernelInfo> Type, class Visit> void visitFields(Type& kernel, Visit&& visit) {
  auto& [name, attributes, args, argBlockSize, requiredLocalSize, requiredSubGroupSize, requiredSubGroups,
         largestLocalSize, mostDimensions, refusesOffset, hasArgInfo, flushesDenormals, enqueues, role, blockNumber,
         allowsNonUniform] = kernel;
  visitEach(visit, name, attributes, args, argBlockSize, requiredLocalSize, requiredSubGroupSize, requiredSubGroups,
            largestLocalSize, mostDimensions, refusesOffset, hasArgInfo, flushesDenormals, enqueues, role, blockNumber,
            allowsNonUniform);
}

template <Of<GroupLimits> Type, class Visit> void visitFields(Type& limits, Visit&& visit) {
  auto& [subGroupSize, usesSubGroups, localBytes, privateBytes, wantsLocalSize, mayChangeWidth, mayOnlyWiden,
         widthToTry, rows, wantedValues, lacksFaster, hasOneCode] = limits;
  visitEach(visit, subGroupSize, usesSubGroups, localBytes, privateBytes, wantsLocalSize, mayChangeWidth, mayOnlyWiden,
            widthToTry, rows.argument, rows.constant, wantedValues, lacksFaster, hasOneCode);
}

template <Of<WorkFactor> Type, class Visit> void visitFields(Type& factor, Visit&& visit) {
  auto& [kind, number] = factor;
  visitEach(visit, kind, number);
}

template <Of<WorkTerm> Type, class Visit> void visitFields(Type& term, Visit&& visit) {
  auto& [coefficient, factors] = term;
  visitEach(visit, coefficient, factors);
}

template <Of<KernelWork> Type, class Visit> void visitFields(Type& work, Visit&& visit) {
  auto& [flops, bytes] = work;
  visitEach(visit, flops, bytes);
}

template <Of<FootprintNode> Type, class Visit> void visitFields(Type& node, Visit&& visit) {
  auto& [kind, bits, first, second, third, low, high] = node;
  visitEach(visit, kind, bits, first, second, third, low, high);
}

template <Of<FootprintGuard> Type, class Visit> void visitFields(Type& guard, Visit&& visit) {
  auto& [relation, isSigned, left, right, id, shift] = guard;
  visitEach(visit, relation, isSigned, left, right, id, shift);
}

template <Of<FootprintAccess> Type, class Visit> void visitFields(Type& access, Visit&& visit) {
  auto& [argument, isWrite, isWhole, offset, bytes, line, guards] = access;
  visitEach(visit, argument, isWrite, isWhole, offset, bytes, line, guards);
}

template <Of<PartArgument> Type, class Visit> void visitFields(Type& argument, Visit&& visit) {
  auto& [kind, dimension] = argument;
  visitEach(visit, kind, dimension);
}

template <Of<KernelFootprint> Type, class Visit> void visitFields(Type& footprint, Visit&& visit) {
  auto& [nodes, accesses, seesLaunch, partArguments, unknown, unknownLine] = footprint;
  visitEach(visit, nodes, accesses, seesLaunch, partArguments, unknown, unknownLine);
}

template <Of<BuiltKernel> Type, class Visit> void visitFields(Type& kernel, Visit&& visit) {
  auto& [info, limits, facts, version, work, footprint] = kernel;
  visitEach(visit, info, limits, facts, version, work, footprint);
}

template <Of<PrintfFormat> Type, class Visit> void visitFields(Type& printf, Visit&& visit) {
  auto& [format, argSizes, strings] = printf;
  visitEach(visit, format, argSizes, strings);
}

template <Of<BuildStage> Type, class Visit> void visitFields(Type& stage, Visit&& visit) {
  auto& [name, seconds] = stage;
  visitEach(visit, name, seconds);
}

template <Of<Dependency> Type, class Visit> void visitFields(Type& dependency, Visit&& visit) {
  auto& [path, hash] = dependency;
  visitEach(visit, path, hash);
}

/// Visits all fields but the object and the portable module, which files store in another form, `objectPath`, which
/// belongs to one machine's cache, and `seconds` and `stages`, which belong to one build.
template <Of<BuildResult> Type, class Visit> void visitDescription(Type& result, Visit&& visit) {
  auto& [status, log, kernels, printfFormats, globalVariableBytes, hasProgramScopeVariables, isDeferred, object,
         objectPath, portable, dependencies, seconds, stages] = result;
  visitEach(visit, status, log, kernels, printfFormats, globalVariableBytes, hasProgramScopeVariables, isDeferred,
            dependencies);
}

// Last enumerators; larger values are invalid.
constexpr TargetKind lastOf(TargetKind) { return TargetKind::Portable; }
constexpr CodeVersion::Rows lastOf(CodeVersion::Rows) { return CodeVersion::Rows::Whole; }
constexpr CodeScope lastOf(CodeScope) { return CodeScope::First; }
constexpr BuildKind lastOf(BuildKind) { return BuildKind::Spirv; }
constexpr BuildStatus lastOf(BuildStatus) { return BuildStatus::IllFormed; }
constexpr KernelRole lastOf(KernelRole) { return KernelRole::CleanUp; }
constexpr WorkFactor::Kind lastOf(WorkFactor::Kind) { return WorkFactor::Kind::Groups; }
constexpr FootprintNode::Kind lastOf(FootprintNode::Kind) { return FootprintNode::Kind::Counter; }
constexpr FootprintGuard::Relation lastOf(FootprintGuard::Relation) { return FootprintGuard::Relation::Differs; }
constexpr PartArgument::Kind lastOf(PartArgument::Kind) { return PartArgument::Kind::GlobalOffset; }
constexpr ArgKind lastOf(ArgKind) { return ArgKind::Queue; }
constexpr AddressQualifier lastOf(AddressQualifier) { return AddressQualifier::Local; }
constexpr AccessQualifier lastOf(AccessQualifier) { return AccessQualifier::ReadWrite; }

} // namespace clotho
