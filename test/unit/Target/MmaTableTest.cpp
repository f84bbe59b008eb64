// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Target/MmaTable.h"

#include <gtest/gtest.h>

using namespace tilewright;

TEST(MmaTable, FamiliesStandInTheirOrder) {
  for (size_t i = 0; i < allMmaFamilies().size(); ++i) {
    const MmaFamilyRow &row = allMmaFamilies()[i];
    EXPECT_EQ(static_cast<size_t>(row.family), i);
    EXPECT_EQ(parseMmaFamily(row.name), row.family);
    EXPECT_EQ(mmaFamilyName(row.family), row.name);
  }
  EXPECT_EQ(parseMmaFamily("wmma"), std::nullopt);
  EXPECT_EQ(quotedMmaFamilies(), "\"fma\", \"mma.sync\", \"wgmma\", \"tcgen05\"");
}

TEST(MmaTable, LegalWarps) {
  EXPECT_EQ(familyRow(MmaFamily::MmaSync).legalWarps(), "1 to 32");
  EXPECT_EQ(familyRow(MmaFamily::Wgmma).legalWarps(), "4, 8 or 12");
  EXPECT_EQ(familyRow(MmaFamily::Tcgen05).legalWarps(), "4, 8, 12 or 16");
  for (unsigned warps = 0; warps <= 40; ++warps) {
    EXPECT_EQ(familyRow(MmaFamily::Fma).allowsWarps(warps), warps >= 1 && warps <= 32);
    EXPECT_EQ(familyRow(MmaFamily::Wgmma).allowsWarps(warps), warps == 4 || warps == 8 || warps == 12);
    EXPECT_EQ(familyRow(MmaFamily::Tcgen05).allowsWarps(warps), warps == 4 || warps == 8 || warps == 12 || warps == 16);
  }
}

// Hopper alone has wgmma, the data-centre Blackwells alone have tcgen05; each target has one family at most beyond mma.sync.
TEST(MmaTable, FamiliesOfTargets) {
  for (const Target &target : allTargets()) {
    EXPECT_TRUE(hasMmaFamily(target, MmaFamily::Fma));
    EXPECT_TRUE(hasMmaFamily(target, MmaFamily::MmaSync));
    EXPECT_EQ(hasMmaFamily(target, MmaFamily::Wgmma), target.name == "sm_90a") << target.name;
    EXPECT_EQ(hasMmaFamily(target, MmaFamily::Tcgen05), target.name == "sm_100a" || target.name == "sm_103a") << target.name;
  }
}

// The widths that PTX lists, spelt out.
TEST(MmaTable, WidthsOfInstructions) {
  for (const MmaRow &row : allMmaRows()) {
    bool isInt = row.operands[0] == ScalarType::I8;
    for (const MmaRow::Shape &shape : row.shapes)
      for (unsigned n = 0; n <= 300; ++n) {
        bool isLegal = row.family == MmaFamily::Fma       ? n == 1
                       : row.family == MmaFamily::MmaSync ? n == 8
                       : n == 0 || n > 256                ? false
                       : shape.m == 128                   ? n % 16 == 0
                       : isInt                            ? (n <= 32 ? n % 8 == 0 : n % 16 == 0)
                                                          : n % 8 == 0;
        EXPECT_EQ(shape.n.contains(n), isLegal) << mmaFamilyName(row.family) << " m" << shape.m << " n" << n;
      }
  }
}

// One instruction of the tensor cores covers 32 bytes of K, whatever the element; f64 is the exception.
TEST(MmaTable, DepthIsThirtyTwoBytes) {
  for (const MmaRow &row : allMmaRows()) {
    if (row.family == MmaFamily::Fma || row.operands[0] == ScalarType::F64)
      continue;
    for (ScalarType type : row.operands)
      EXPECT_EQ(row.k * scalarTypeBytes(type), 32u) << mmaFamilyName(row.family) << ' ' << scalarTypeName(type);
  }
}

TEST(MmaTable, NewerFamiliesAreFaster) {
  for (const Target &target : allTargets())
    for (ScalarType type : {ScalarType::F16, ScalarType::BF16, ScalarType::TF32, ScalarType::F8E4M3FN, ScalarType::I8}) {
      unsigned last = 0;
      for (const MmaFamilyRow &row : allMmaFamilies()) {
        unsigned rate = multiplyAddsPerClock(target, row.family, type, 128);
        EXPECT_EQ(rate != 0, hasMmaFamily(target, row.family));
        if (rate == 0)
          continue;
        EXPECT_GT(rate, last) << target.name << ' ' << row.name;
        last = rate;
      }
    }
}

// What the peaks of the data sheets come to: 989 TFLOP/s of f16 on 132 SMs at 1.83 GHz, 312 on 108 at 1.41.
TEST(MmaTable, RatesAreThoseOfTheDataSheets) {
  EXPECT_NEAR(multiplyAddsPerClock(*findTarget("sm_90a"), MmaFamily::Wgmma, ScalarType::F16, 64) * 2 * 132 * 1.83e-3, 989, 10);
  EXPECT_NEAR(multiplyAddsPerClock(*findTarget("sm_80"), MmaFamily::MmaSync, ScalarType::F16, 16) * 2 * 108 * 1.41e-3, 312, 3);
  EXPECT_NEAR(multiplyAddsPerClock(*findTarget("sm_80"), MmaFamily::Fma, ScalarType::F32, 1) * 2 * 108 * 1.41e-3, 19.5, 0.2);
}

TEST(MmaTable, FirstTargets) {
  for (const MmaRow &row : allMmaRows()) {
    bool isFp8 = row.operands[0] == ScalarType::F8E4M3FN;
    std::string_view first = row.family == MmaFamily::Wgmma     ? "sm_90a"
                             : row.family == MmaFamily::Tcgen05 ? "sm_100a"
                             : row.family == MmaFamily::MmaSync && isFp8 ? "sm_89"
                                                                         : "sm_80";
    EXPECT_EQ(row.firstTarget(), first) << mmaFamilyName(row.family) << ' ' << scalarTypeName(row.operands[0]);
  }
}
