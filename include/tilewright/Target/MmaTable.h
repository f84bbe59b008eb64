// SPDX-License-Identifier: Apache-2.0
/// \file
/// The instructions that multiply tiles, as data: families, element types, shapes, and how fast they are. Which family computes
/// one product is decided elsewhere, from these rows; a new instruction is a new row.
///
/// Shapes, types and majorness: PTX ISA 9.1, 9.7.14.5 (mma.sync), 9.7.15.2 and 9.7.15.5 (wgmma), 9.7.16.2 and 9.7.16.10
/// (tcgen05).
#ifndef TILEWRIGHT_TARGET_MMATABLE_H
#define TILEWRIGHT_TARGET_MMATABLE_H

#include "tilewright/Target/Target.h"

#include <optional>
#include <string>

namespace tilewright {

/// Families of instructions for products, slowest first.
enum class MmaFamily : uint8_t { Fma, MmaSync, Wgmma, Tcgen05 };

/// Along which of its two dimensions an operand is contiguous in memory: K, or M (of the left one) or N (of the right one). Any:
/// both will do, or nothing is known.
enum class MmaMajor : uint8_t { Any, K, MN };

/// What a family asks of a program and where its operands live.
struct MmaFamilyRow {
  MmaFamily family;
  /// The family's name in attributes, options, remarks and reports. Names of families stand here and nowhere else.
  std::string_view name;
  /// Legal counts of warps: the multiples of `warpUnit` up to `maxWarps`. wgmma: whole warpgroups, one to three that consume;
  /// tcgen05: whole warpgroups, since a warp reaches a quarter of the rows of tensor memory alone.
  unsigned warpUnit, maxWarps;
  /// Where the operands and the sum live: "registers", "shared" or "tensor". A left operand that is computed comes from
  /// `computedLhs`, one that is loaded from `loadedOperands`.
  std::string_view loadedOperands, computedLhs, sums;
  /// Whether one product of several matrices is one loop of instructions; else such a product takes another family.
  bool takesBatches;
  /// Whether operands are multiplied as they were loaded, so that they must have the majorness that the instruction wants;
  /// else they are turned on their way into shared memory or out of it.
  bool readsInPlace;
  /// Fewest rows and columns that pay. Above 1, a tile that has to be padded is weighed against the next slower family:
  /// sums in tensor memory make a round trip. Source: practice on B200 has 32.
  unsigned paysFrom;

  bool allowsWarps(unsigned warps) const { return warps >= 1 && warps % warpUnit == 0 && warps <= maxWarps; }
  /// "4, 8 or 12".
  std::string legalWarps() const;
};

/// All families, slowest first, in the order of the enumerators.
const std::vector<MmaFamilyRow> &allMmaFamilies();
const MmaFamilyRow &familyRow(MmaFamily family);
inline std::string_view mmaFamilyName(MmaFamily family) { return familyRow(family).name; }
/// The family of that name; nothing for an unknown one.
std::optional<MmaFamily> parseMmaFamily(std::string_view name);
/// The names of all families, each in double quotes, separated by ", ".
std::string quotedMmaFamilies();
/// True if `target` has instructions of the family at all.
bool hasMmaFamily(const Target &target, MmaFamily family);

/// The extents that an instruction has in N: multiples of `step` up to `fine`, multiples of `coarse` from there to `most`.
struct MmaExtents {
  unsigned step, fine, coarse, most;
  bool contains(int64_t extent) const {
    return extent >= 1 && extent <= most && extent % (extent <= fine ? step : coarse) == 0;
  }
};

/// One kind of instruction.
struct MmaRow {
  MmaFamily family;
  /// Element types of operands. Two that are listed may be mixed. tf32 stands for f32 whose products may be rounded to it.
  std::vector<ScalarType> operands;
  /// Element types of sums.
  std::vector<ScalarType> sums;
  /// Rows of one instruction and, for each, its columns; K in elements.
  struct Shape {
    unsigned m;
    MmaExtents n;
  };
  std::vector<Shape> shapes;
  unsigned k;
  /// The majorness that is wanted of each operand.
  MmaMajor lhs, rhs;
  /// Columns of an N-major right operand are a multiple of this.
  unsigned nMajorStep;
  /// Whether rows and columns that the product does not have may be computed: the tile is padded to the instruction. For a
  /// family whose sums are in registers of whole warpgroups that would cost registers of every thread.
  bool pads;
  /// Whether the compiler emits it; if not, a product for which it is the best takes the best one that is emitted.
  bool isLowered;
  /// Whether a target that has the family has this.
  bool (*isOn)(const Target &target);

  bool isAvailable(const Target &target) const;
  /// The oldest target that has it, for messages.
  std::string_view firstTarget() const;

  bool takes(ScalarType lhs, ScalarType rhs) const;
  bool sumsUpIn(ScalarType type) const;
};

/// All rows, those of one family side by side.
const std::vector<MmaRow> &allMmaRows();

/// Multiply-add steps that all tensor cores (for fma: all arithmetic units) of one SM do per clock for operands of that type, at
/// best: an estimate for weighing families, derived from the peaks of data sheets (peak / 2 / SMs / clock). mma.sync on targets
/// with a newer family reaches half of wgmma's rate (measured: 400 to 450 of 650 TFLOP/s on an H100) and, assumed, a quarter of
/// tcgen05's. 0 where there is no such instruction. Instructions of 64 rows use half of the lanes of tensor memory, so half the rate.
unsigned multiplyAddsPerClock(const Target &target, MmaFamily family, ScalarType operand, unsigned instructionM);

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_MMATABLE_H
