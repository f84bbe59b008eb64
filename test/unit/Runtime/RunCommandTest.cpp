// SPDX-License-Identifier: Apache-2.0
// The options of a run and the run itself, and tile-launch as a process on the fake driver.
#include "tilewright/Runtime/RunCommand.h"
#include "FakeCuda.h"
#include "tilewright/Runtime/CudaBackend.h"
#include "tilewright/Runtime/Npy.h"
#include "tilewright/Runtime/ScalarConvert.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilewright;

//===----------------------------------------------------------------------===//
// Command line
//===----------------------------------------------------------------------===//

static RunOptions parse(std::vector<const char *> words, std::string *error, std::vector<std::string> *rest = nullptr) {
  words.insert(words.begin(), "tool");
  CommandLine line(int(words.size()), words.data());
  RunOptions options;
  std::string word;
  while (!line.isDone()) {
    if (takeRunOption(line, options))
      continue;
    if (rest && line.takePositional(word))
      rest->push_back(word);
    else
      line.failUnknown();
  }
  *error = line.getError();
  return options;
}

static std::string parseError(std::vector<const char *> words) {
  std::string error;
  parse(std::move(words), &error);
  return error;
}

TEST(CommandLine, TakesBothSpellings) {
  std::string error;
  std::vector<std::string> rest;
  RunOptions options = parse({"x.bundle", "--kernel", "k", "--backend=cuda", "--arg", "a=f32:1", "--arg=b=i32:2",
                              "--rtol", "1e-3", "--atol=0", "--bench", "--repeats=7", "--", "--odd"},
                             &error, &rest);
  EXPECT_EQ(error, "");
  EXPECT_EQ(rest, (std::vector<std::string>{"x.bundle", "--odd"}));
  EXPECT_EQ(options.kernel, "k");
  EXPECT_EQ(options.backend, "cuda");
  EXPECT_EQ(options.args, (std::vector<std::string>{"a=f32:1", "b=i32:2"}));
  EXPECT_EQ(options.tolerance.rtol, 1e-3);
  EXPECT_TRUE(options.isBench);
  EXPECT_EQ(options.numRepeats, 7u);
}

TEST(CommandLine, BadWordsAreNamed) {
  EXPECT_EQ(parseError({"--frob"}), "unknown option '--frob'; see --help");
  EXPECT_EQ(parseError({"-v"}), "unknown option '-v'; see --help");
  EXPECT_EQ(parseError({"x"}), "unexpected argument 'x'; see --help");
  EXPECT_EQ(parseError({"--benchmark"}), "unknown option '--benchmark'; see --help");
  EXPECT_EQ(parseError({"--kernel"}), "--kernel expects a value");
  EXPECT_EQ(parseError({"--kernel=a", "--kernel=b"}), "--kernel is given twice");
  EXPECT_EQ(parseError({"--repeats=0"}), "--repeats expects an integer from 1 to 100000, got '0'");
  EXPECT_EQ(parseError({"--repeats=1x"}), "--repeats expects an integer from 1 to 100000, got '1x'");
  EXPECT_EQ(parseError({"--device=-1"}), "--device expects an integer from 0 to 1023, got '-1'");
  EXPECT_EQ(parseError({"--rtol=-1"}), "--rtol expects a finite number of at least 0, got '-1'");
  EXPECT_EQ(parseError({"--atol=nan"}), "--atol expects a finite number of at least 0, got 'nan'");
  EXPECT_EQ(parseError({"--atol="}), "--atol expects a finite number of at least 0, got ''");
}

TEST(CommandLine, EveryOptionIsInTheHelp) {
  std::string help = getRunOptionHelp();
  for (const char *name :
       {"kernel", "backend", "device", "arg", "save", "expect", "rtol", "atol", "bench", "warmups", "repeats"})
    EXPECT_NE(help.find(std::string("--") + name), std::string::npos) << name;
}

// A program without the emulator neither offers nor takes what is about it alone.
TEST(CommandLine, EmulatorOptionsNeedTheEmulator) {
  EXPECT_EQ(getRunOptionHelp().find("emulator"), std::string::npos);
  EXPECT_EQ(parseError({"--seed=9"}), "--seed is about the emulator, which this program does not have");
  EXPECT_EQ(parseError({"--sm-count=2"}), "--sm-count is about the emulator, which this program does not have");
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

namespace {
class RunTest : public testing::Test {
protected:
  RunTest() : bundle(makeAddBundle()) {
    registerBackendFactory("fake",
                           [](const BackendOptions &options) { return createCudaBackend(options, FAKE_CUDA_LIBRARY); });
    options.backend = "fake";
    options.args = {"a=f32[4]:iota", "b=f32[4]:ones", "c=f32[4]:nan"};
    folder = testing::TempDir() + "tilewright-run-test." + std::to_string(getpid());
    std::filesystem::create_directory(folder);
  }
  ~RunTest() override { std::filesystem::remove_all(folder); }

  RunStatus run() {
    output.clear();
    error.clear();
    return runBundle(bundle, options, &output, &error);
  }
  std::string inputError() {
    EXPECT_EQ(run(), kRunBadInput);
    return error;
  }

  Bundle bundle;
  RunOptions options;
  std::string folder, output, error;
};
} // namespace

TEST_F(RunTest, SavesAndChecksResults) {
  options.saves = {"c=" + folder + "/c.npy"};
  EXPECT_EQ(run(), kRunOk) << error;
  EXPECT_EQ(output, "backend: cuda, Fake GPU (sm_90)\n"
                    "kernel add: variant 0 of 2 (add_unit), grid 1x1x1, 128 threads\n"
                    "  assumes unit strides\n");
  std::optional<HostArray> saved = readNpyFile(folder + "/c.npy", &error);
  ASSERT_TRUE(saved) << error;
  EXPECT_EQ(loadAsDouble(ScalarType::F32, saved->element(3)), 4.0);
  options.expects = {"c=@" + folder + "/c.npy"};
  EXPECT_EQ(run(), kRunOk) << error;
  EXPECT_NE(output.find("expect parameter 'c': 4 elements agree; largest error 0"), std::string::npos) << output;
  options.args[0] = "0=f32[4]:ones"; // by position
  EXPECT_EQ(run(), kRunCheckFailed);
  EXPECT_EQ(error, "the result differs from the reference");
  EXPECT_NE(
      output.find("expect parameter 'c': 3 of 4 elements differ, first at [0]: got 2, expected 1; largest error 2 "
                  "at [3]"),
      std::string::npos)
      << output;
  options.tolerance.atol = 2;
  EXPECT_EQ(run(), kRunOk) << error;
}

TEST_F(RunTest, EmptyGridsAreFineAndSaidSo) {
  options.args = {"a=f32[0]:iota", "b=f32[0]:ones", "c=f32[0]:nan"};
  options.expects = {"c=f32[0]:zeros"};
  options.isBench = true;
  EXPECT_EQ(run(), kRunOk) << error;
  EXPECT_NE(output.find("the grid is empty, so nothing was launched"), std::string::npos) << output;
}

TEST_F(RunTest, BenchmarksAreSummarized) {
  options.isBench = true;
  options.numRepeats = 4;
  EXPECT_EQ(run(), kRunOk) << error;
  EXPECT_NE(
      output.find("time: median 250.000 us, min 250.000 us over 4 launches; the arrays' 48 bytes once: 0.000 GB/s"),
      std::string::npos)
      << output;
}

TEST_F(RunTest, BadInputIsExplained) {
  options.kernel = "sub";
  EXPECT_EQ(inputError(), "there is no kernel 'sub'; there are: add");
  options.kernel = "add";
  options.args.pop_back();
  EXPECT_EQ(inputError(), "kernel 'add': parameter 'c' has no argument; give --arg c=SPEC");
  options.args.push_back("d=f32[4]:nan");
  EXPECT_EQ(inputError(), "--arg: kernel 'add' has no parameter 'd'; it has: a, b, c");
  options.args.back() = "b=f32[4]:nan";
  EXPECT_EQ(inputError(), "--arg: parameter 'b' is given twice");
  options.args.back() = "c";
  EXPECT_EQ(inputError(), "--arg expects NAME=SPEC, got 'c'");
  options.args.back() = "c=f32[4";
  EXPECT_EQ(inputError(), "parameter 'c': bad argument spec 'f32[4': expected @FILE, TYPE:@FILE, TYPE[SHAPE]:FILL or "
                          "TYPE:VALUE");
  options.args.back() = "c=@" + folder + "/none.npy";
  EXPECT_EQ(inputError(), "parameter 'c': " + folder + "/none.npy: No such file or directory");
  options.args.back() = "c=f16[4]:nan";
  EXPECT_EQ(inputError(), "kernel 'add': parameter 'c' expects an array of f32 with rank 1, got an array of f16");
  options.args.back() = "c=f32[4x1]:nan";
  EXPECT_EQ(inputError(), "kernel 'add': parameter 'c' expects an array of f32 with rank 1, got rank 2");
  options.args.back() = "c=f32:1";
  EXPECT_EQ(inputError(), "kernel 'add': parameter 'c' expects an array of f32 with rank 1, got a scalar");
  options.saves = {"c=x.npy"};
  EXPECT_EQ(inputError(), "--save: parameter 'c' is a scalar");
  options.saves.clear();
  options.expects = {"c=f32:1"};
  EXPECT_EQ(inputError(), "--expect: parameter 'c' is a scalar");
  options.args.back() = "c=f32[4]:nan";
  EXPECT_EQ(inputError(), "--expect: parameter 'c': an array is expected, 'f32:1' is a scalar");
  options.expects = {"c=f32[5]:ones"};
  EXPECT_EQ(inputError(), "--expect: parameter 'c': the shape is [4], but the reference has [5]");
  options.expects = {"x=f32[5]:ones"};
  EXPECT_EQ(inputError(), "--expect: kernel 'add' has no parameter 'x'; it has: a, b, c");
  options.expects.clear();
  options.saves = {"c=/nonexistent/c.npy"};
  EXPECT_EQ(inputError(), "/nonexistent/c.npy: cannot be written: No such file or directory");
  options.saves.clear();
  options.backend = "tpu2";
  EXPECT_EQ(inputError().substr(0, 43), "there is no backend 'tpu2' in this program;");
  bundle.plan.kernels.push_back(bundle.plan.kernels[0]);
  bundle.plan.kernels[1].name = "add2";
  options.kernel = "";
  EXPECT_EQ(inputError(), "several kernels are in the file; choose one with --kernel: add, add2");
  bundle.plan.kernels.clear();
  EXPECT_EQ(inputError(), "there is no kernel in the file");
}

TEST_F(RunTest, NoDeviceHasItsOwnStatus) {
  options.backendOptions.device = 7;
  EXPECT_EQ(run(), kRunNoDevice);
  EXPECT_EQ(error, "there is no CUDA device 7; 1 found, counted from 0");
}

// The same runs on a GPU, where there is one.
TEST_F(RunTest, RunsOnARealDevice) {
  options.backend = "cuda";
  if (createRunBackend(options).status == BackendStatus::NoDevice)
    GTEST_SKIP() << "there is no CUDA device";
  bundle.plan.target = "sm_80";
  options.args = {"a=f32[1000003]:randint(1,0,100)", "b=f32[1000003]:zeros", "c=f32[1000003]:nan"};
  options.expects = {"c=f32[1000003]:randint(1,0,100)"};
  options.isBench = true;
  EXPECT_EQ(run(), kRunOk) << error;
  std::fputs(output.c_str(), stdout);
  bundle.plan.kernels[0].exprs[9].a = 7; // no stride is 7: the general variant
  EXPECT_EQ(run(), kRunOk) << error;
  EXPECT_NE(output.find("variant 1 of 2"), std::string::npos) << output;
  bundle.sections[0].data = ".version 7.0\n.target sm_80\nnonsense";
  EXPECT_EQ(run(), kRunBadInput);
  EXPECT_NE(error.find("CUDA_ERROR_INVALID_PTX"), std::string::npos) << error;
  std::puts(error.c_str());
}

//===----------------------------------------------------------------------===//
// tile-launch
//===----------------------------------------------------------------------===//

namespace {
class TileLaunchTest : public RunTest {
protected:
  TileLaunchTest() {
    bundle.add(SectionKind::Report, "", "{\"target\":\"sm_90a\"}");
    std::ofstream(folder + "/add.bundle", std::ios::binary) << writeBundle(bundle, nullptr).value();
  }

  /// Runs tile-launch in the folder and returns its exit status; what it prints goes to `output`.
  int launch(const std::string &arguments, bool hasDriver = true) {
    std::string command = "cd " + folder + " && LD_LIBRARY_PATH=" + (hasDriver ? FAKE_CUDA_FOLDER : folder) + " " +
                          TILE_LAUNCH + " " + arguments + " 2>&1";
    std::FILE *pipe = popen(command.c_str(), "r");
    output.clear();
    char buffer[4096];
    while (size_t count = std::fread(buffer, 1, sizeof(buffer), pipe))
      output.append(buffer, count);
    int status = pclose(pipe);
    EXPECT_TRUE(WIFEXITED(status)) << output;
    return WEXITSTATUS(status);
  }
  const std::string arrays = " --arg a=f32[200]:iota --arg b=f32[200]:zeros --arg c=f32[200]:nan ";
};
} // namespace

TEST_F(TileLaunchTest, RunsChecksAndSaves) {
  EXPECT_EQ(launch("add.bundle" + arrays + "--expect c=f32[200]:iota --save c=c.npy"), 0) << output;
  EXPECT_NE(output.find("200 elements agree"), std::string::npos) << output;
  EXPECT_EQ(launch("add.bundle" + arrays + "--expect c=@c.npy --backend=cuda"), 0) << output;
  EXPECT_EQ(launch("add.bundle" + arrays + "--expect c=f32[200]:ones"), 1);
  EXPECT_NE(output.find("199 of 200 elements differ"), std::string::npos) << output;
  EXPECT_NE(output.find("tile-launch: error: the result differs from the reference"), std::string::npos) << output;
}

TEST_F(TileLaunchTest, BadInputIsStatusTwo) {
  EXPECT_EQ(launch(""), 2);
  EXPECT_EQ(output, "tile-launch: error: expected a bundle; see --help\n");
  EXPECT_EQ(launch("none.bundle"), 2);
  EXPECT_EQ(output, "tile-launch: error: none.bundle: No such file or directory\n");
  EXPECT_EQ(launch("add.bundle other.bundle"), 2);
  EXPECT_EQ(output, "tile-launch: error: unexpected argument 'other.bundle'; see --help\n");
  EXPECT_EQ(launch("add.bundle" + arrays + "--backend=emulator"), 2);
  EXPECT_EQ(output, "tile-launch: error: there is no backend 'emulator' in this program; it has: cuda\n");
  std::filesystem::resize_file(folder + "/add.bundle", 100);
  EXPECT_EQ(launch("add.bundle" + arrays), 2);
  EXPECT_NE(output.find("truncated bundle"), std::string::npos) << output;
}

TEST_F(TileLaunchTest, AMissingDriverIsStatusThree) {
  std::ofstream(folder + "/libcuda.so.1") << "not a library";
  EXPECT_EQ(launch("add.bundle" + arrays, /*hasDriver=*/false), 3);
  EXPECT_NE(output.find("the CUDA driver cannot be loaded"), std::string::npos) << output;
}

TEST_F(TileLaunchTest, InformsAboutBundles) {
  EXPECT_EQ(launch("--help"), 0);
  EXPECT_NE(output.find("--expect NAME=SPEC"), std::string::npos);
  EXPECT_EQ(launch("--version"), 0);
  EXPECT_EQ(output.substr(0, 12), "tile-launch ");
  EXPECT_EQ(launch("add.bundle --report"), 0);
  EXPECT_EQ(output, "{\"target\":\"sm_90a\"}\n");
  EXPECT_EQ(launch("add.bundle --list"), 0);
  EXPECT_NE(output.find("kernel add, 2 variants\n  0 a: view of f32, sizes [?], strides [?], read only\n"),
            std::string::npos)
      << output;
}

// It is copied to machines that have nothing but the driver, so it stays small and self-contained.
TEST_F(TileLaunchTest, IsSmall) {
  if (TILEWRIGHT_SANITIZED)
    GTEST_SKIP() << "sanitizers make it large";
  EXPECT_LT(std::filesystem::file_size(TILE_LAUNCH), 2u << 20);
}
