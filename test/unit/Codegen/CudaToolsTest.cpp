// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Codegen/CudaTools.h"
#include "tilewright/Codegen/EmitPtx.h"

#include "llvm/Support/ErrorHandling.h"
#include <gtest/gtest.h>

using namespace tilewright;

// What ptxas -v of CUDA 13.0 prints: one kernel that spills, one that does not, and a function that is no kernel.
TEST(CudaTools, ReadsPtxasLog) {
  auto kernels = parsePtxasLog("ptxas info    : 0 bytes gmem\n"
                               "ptxas info    : Compiling entry function 'first' for 'sm_90a'\n"
                               "ptxas info    : Function properties for first\n"
                               "    16 bytes stack frame, 24 bytes spill stores, 32 bytes spill loads\n"
                               "ptxas info    : Used 255 registers, used 3 barriers, 16 bytes smem, 400 bytes cmem[0]\n"
                               "ptxas info    : Compile time = 1.2 ms\n"
                               "ptxas info    : Function properties for helper\n"
                               "    8 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\n"
                               "ptxas info    : Compiling entry function 'second' for 'sm_90a'\n"
                               "ptxas info    : Function properties for second\n"
                               "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                               "ptxas info    : Used 10 registers\n");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "first");
  EXPECT_EQ(kernels[0].registers, 255u);
  EXPECT_EQ(kernels[0].barriers, 3u);
  EXPECT_EQ(kernels[0].stackBytes, 16u);
  EXPECT_EQ(kernels[0].spillStoreBytes, 24u);
  EXPECT_EQ(kernels[0].spillLoadBytes, 32u);
  EXPECT_EQ(kernels[0].staticSharedBytes, 16u);
  EXPECT_EQ(kernels[1].name, "second");
  EXPECT_EQ(kernels[1].registers, 10u);
  EXPECT_EQ(kernels[1].barriers, 0u);
  EXPECT_EQ(kernels[1].stackBytes, 0u);
  EXPECT_TRUE(parsePtxasLog("").empty());
}

// The form of nvdisasm -c.
TEST(CudaTools, CountsInstructions) {
  auto kernels = parseDisassembly("\t.headerflags @\"EF_CUDA\"\n"
                                  ".text.first:\n"
                                  "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
                                  "        /*0010*/              @!P0 LDG.E.128 R4, desc[UR4][R2.64] ;\n"
                                  "        /*0020*/                   STG.E desc[UR4][R2.64], R5 ;\n"
                                  "        /*0030*/                   STL [R1], R0 ;\n"
                                  "        /*0040*/                   HGMMA.64x8x16.F32 R24, gdesc[UR4], R24 ;\n"
                                  "        /*0050*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;\n"
                                  ".L_x_0:\n"
                                  "        /*0060*/                   BRA `(.L_x_0);\n"
                                  ".text.second:\n"
                                  "        /*0000*/                   EXIT ;\n");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "first");
  EXPECT_EQ(kernels[0].instructions, 7u);
  EXPECT_EQ(kernels[0].globalAccesses, 2u);
  EXPECT_EQ(kernels[0].wideGlobalAccesses, 1u);
  EXPECT_EQ(kernels[0].localStores, 1u);
  EXPECT_EQ(kernels[0].localLoads, 0u);
  EXPECT_EQ(kernels[0].tensorOps, 1u);
  EXPECT_EQ(kernels[0].barriers, 1u);
  EXPECT_EQ(kernels[1].instructions, 1u);
}

TEST(CudaTools, NamedToolMustExist) {
  std::string error;
  EXPECT_FALSE(findCudaTool("ptxas", "/nowhere/ptxas", error));
  EXPECT_EQ(error, "cannot execute /nowhere/ptxas");
  EXPECT_FALSE(findCudaTool("ptxas", "/bin/false", error));
  EXPECT_EQ(error.find("/bin/false --version fails"), 0u) << error;
  EXPECT_FALSE(findCudaTool("no-such-tool-of-cuda", "", error));
  EXPECT_EQ(error, "found no no-such-tool-of-cuda beside this program, in PATH or in /usr/local/cuda/bin; name one by "
                   "--no-such-tool-of-cuda");
}

// A complaint of ptxas comes back with the line that it is about, without the name of a temporary file.
TEST(CudaTools, BadPtxIsExplained) {
  std::string error;
  std::optional<CudaTool> ptxas = findCudaTool("ptxas", "", error);
  if (!ptxas)
    GTEST_SKIP() << error;
  EXPECT_FALSE(ptxas->version.empty());
  const Target &target = *findTarget("sm_80");
  EXPECT_FALSE(assemblePtx(".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { bogus.u32 %r1; }\n", target,
                           *ptxas, error));
  EXPECT_EQ(error.find("ptxas: "), 0u) << error;
  EXPECT_NE(error.find("in line 4 of the PTX"), std::string::npos) << error;
  EXPECT_EQ(error.find("/tmp"), std::string::npos) << error;
}

TEST(FatalErrors, BecomeMessages) {
  std::string message;
  EXPECT_TRUE(runCatchingFatalErrors([] {}, message));
  EXPECT_FALSE(runCatchingFatalErrors([] { llvm::report_fatal_error("cannot select this"); }, message));
  EXPECT_EQ(message, "cannot select this");
  // Nested: the inner one is caught where it is.
  bool inner = true;
  EXPECT_TRUE(runCatchingFatalErrors(
      [&] { inner = runCatchingFatalErrors([] { llvm::report_fatal_error("inner"); }, message); }, message));
  EXPECT_FALSE(inner);
  EXPECT_EQ(message, "inner");
}
