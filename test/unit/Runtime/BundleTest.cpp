// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Runtime/Bundle.h"
#include "../Support/PlanSamples.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <random>

using namespace tilewright;

static std::string writeSample() {
  Bundle bundle;
  bundle.plan = makeSamplePlan();
  bundle.add(SectionKind::Ptx, "m", ".version 8.0\n");
  bundle.add(SectionKind::Cubin, "m",
             std::string("\x7f"
                         "ELF\0\1",
                         6));
  bundle.add(SectionKind::Report, "", "{}");
  bundle.add(SectionKind::Simt, "m", "");
  std::string error;
  std::optional<std::string> bytes = writeBundle(bundle, &error);
  EXPECT_TRUE(bytes) << error;
  return bytes.value_or("");
}

static std::string readError(std::string_view bytes) {
  std::string error;
  EXPECT_FALSE(readBundle(bytes, &error));
  return error;
}

TEST(Bundle, RoundTripIsExactAndDeterministic) {
  std::string bytes = writeSample(), error;
  EXPECT_EQ(bytes, writeSample());
  EXPECT_TRUE(looksLikeBundle(bytes));
  std::optional<Bundle> bundle = readBundle(bytes, &error);
  ASSERT_TRUE(bundle) << error;
  EXPECT_EQ(printLaunchPlan(bundle->plan), printLaunchPlan(makeSamplePlan()));
  ASSERT_EQ(bundle->sections.size(), 4u);
  ASSERT_TRUE(bundle->find(SectionKind::Cubin, "m"));
  EXPECT_EQ(bundle->find(SectionKind::Cubin, "m")->data.size(), 6u);
  EXPECT_EQ(bundle->find(SectionKind::Ptx, "m")->data, ".version 8.0\n");
  EXPECT_FALSE(bundle->find(SectionKind::Ptx, "n"));
  EXPECT_EQ(writeBundle(*bundle, &error), bytes);
}

TEST(Bundle, DamageIsNamed) {
  std::string bytes = writeSample();
  EXPECT_EQ(readError("MLIR"), "not a bundle: it does not begin with TILEWRGT");
  EXPECT_EQ(readError(bytes.substr(0, 20)), "truncated bundle: 20 bytes are less than its header");
  EXPECT_EQ(readError(bytes.substr(0, bytes.size() - 1)), "truncated bundle: it should have " +
                                                              std::to_string(bytes.size()) + " bytes, but has " +
                                                              std::to_string(bytes.size() - 1));
  EXPECT_NE(readError(bytes + "x").find("damaged bundle: it should have"), std::string::npos);
  auto with = [&](size_t at, char value) {
    std::string copy = bytes;
    copy[at] = value;
    return readError(copy);
  };
  EXPECT_EQ(with(8, 2), "bundle version 2 is not supported, expected 1");
  EXPECT_EQ(with(13, 127), "damaged bundle: its table of 32517 sections does not fit the file");
  EXPECT_EQ(with(15, 127), "damaged bundle: its table of 2130706437 sections does not fit the file");
  EXPECT_EQ(with(40, 77), "damaged bundle: the checksum of its section table is wrong");
  EXPECT_EQ(with(bytes.find(".version"), '#'), "damaged bundle: the checksum of section 1 (PTX) is wrong");
}

TEST(Bundle, RefusesWhatItCouldNotRead) {
  Bundle bundle;
  std::string error;
  bundle.plan = makeSamplePlan();
  bundle.plan.target.clear();
  EXPECT_FALSE(writeBundle(bundle, &error));
  EXPECT_EQ(error, "launch plan: target is empty");
  bundle.plan = makeSamplePlan();
  bundle.add(SectionKind::Ptx, "m", "a");
  bundle.add(SectionKind::Ptx, "m", "b");
  EXPECT_FALSE(writeBundle(bundle, &error));
  EXPECT_EQ(error, "the bundle has two of PTX section 'm'");
}

TEST(Bundle, DamagedFilesNeverCrash) {
  const std::string good = writeSample();
  std::string error;
  for (size_t size = 0; size < good.size(); size += 5)
    EXPECT_FALSE(readBundle(std::string_view(good).substr(0, size), &error));
  std::mt19937 random(5);
  for (int i = 0; i < 5000; ++i) {
    std::string damaged = good;
    // Half of the damage goes to header and table, which is little of the file.
    damaged[random() % (i % 2 ? damaged.size() : 300)] ^= char(1 << random() % 8);
    error.clear();
    std::optional<Bundle> bundle = readBundle(damaged, &error);
    // One flipped bit is always found, except in the gaps, which mean nothing.
    if (!bundle)
      EXPECT_FALSE(error.empty());
    else
      EXPECT_EQ(writeBundle(*bundle, &error), good);
  }
}

TEST(Bundle, FilesOnDisk) {
  std::string path = testing::TempDir() + "tilewright-bundle-test.bundle", error;
  std::ofstream(path, std::ios::binary) << writeSample();
  EXPECT_TRUE(readBundleFile(path, &error)) << error;
  std::ofstream(path, std::ios::binary) << "text";
  EXPECT_FALSE(readBundleFile(path, &error));
  EXPECT_EQ(error, path + ": not a bundle: it does not begin with TILEWRGT");
  std::remove(path.c_str());
  EXPECT_FALSE(readBundleFile(path, &error));
  EXPECT_EQ(error, path + ": No such file or directory");
  EXPECT_FALSE(readBundleFile(testing::TempDir(), &error));
  EXPECT_NE(error.find("Is a directory"), std::string::npos) << error;
}
