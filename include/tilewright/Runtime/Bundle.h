// SPDX-License-Identifier: Apache-2.0
/// \file
/// The bundle: one file with everything that a compile produced. It is a table of sections, each a run of bytes
/// with a kind and a name, behind a fixed header; all numbers are little-endian:
///
///     0  magic "TILEWRGT"   8  u32 version   12 u32 section count   16 u64 file size   24 u64 checksum of the table
///     32 table, 48 bytes per section: u32 kind, u32 name size, u64 name offset, u64 data offset, u64 data size,
///        u64 checksum of name and data, u64 zero
///     then names and data, each data 16-byte aligned, gaps are zero
///
/// There is one Plan section. A module of a variant (`PlanVariant::module`) is a name shared by its Ptx, Cubin, Simt and
/// Tile sections. The same sections give the same bytes.
#ifndef TILEWRIGHT_RUNTIME_BUNDLE_H
#define TILEWRIGHT_RUNTIME_BUNDLE_H

#include "tilewright/Support/LaunchPlan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// The bundle format that this library writes and the only one that it reads.
inline constexpr uint32_t kBundleVersion = 1;

enum class SectionKind : uint32_t {
  Plan = 1,   ///< Launch plan as JSON; its name is empty
  Ptx = 2,    ///< PTX text of one module
  Cubin = 3,  ///< Machine code of one module, for the plan's target
  Simt = 4,   ///< SIMT-level MLIR text of one module, which the emulator executes
  Report = 5, ///< JSON for people and tools: registers, spills, decisions
  Tile = 6,   ///< Tile-level MLIR text of one module without a Simt section: the emulator lowers it at its first launch
};

/// "plan", "PTX", "cubin", "SIMT", "report" or "tile"; "unknown" for a number that is no kind.
std::string_view sectionKindName(SectionKind kind);

struct BundleSection {
  SectionKind kind = SectionKind::Plan;
  std::string name;
  std::string data;
};

/// A bundle in memory: the plan, parsed and verified, and all other sections in file order.
struct Bundle {
  LaunchPlan plan;
  std::vector<BundleSection> sections;

  /// The section of that kind and name, or null.
  const BundleSection *find(SectionKind kind, std::string_view name) const;
  /// Adds a section; the Plan section is made from `plan` by writeBundle.
  void add(SectionKind kind, std::string name, std::string data);
};

/// The bytes of a bundle file. `bundle.plan` must be valid; returns nothing and sets `error` otherwise.
std::optional<std::string> writeBundle(const Bundle &bundle, std::string *error);

/// Parses untrusted bytes. Whatever is wrong with them gives one message in `error`; nothing is thrown.
std::optional<Bundle> readBundle(std::string_view bytes, std::string *error);

/// Reads a bundle file; messages begin with its path.
std::optional<Bundle> readBundleFile(const std::string &path, std::string *error);

/// True if the bytes begin like a bundle; says nothing about the rest.
bool looksLikeBundle(std::string_view bytes);

} // namespace tilewright

#endif // TILEWRIGHT_RUNTIME_BUNDLE_H
