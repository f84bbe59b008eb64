/* SPDX-License-Identifier: Apache-2.0 */
/* Embedding from C: compile a kernel from text, run it on the emulator, and show what a broken one gives. */
#include "tilewright-c/Compiler.h"
#include "tilewright-c/Runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 1000

static const char kScale[] =
    "!vec = !tile.view<?xf32, strides = [?]>\n"
    "\n"
    "// y = factor * x, 512 elements per program.\n"
    "func.func @scale(%x: !vec {tile.name = \"x\"}, %y: !vec {tile.name = \"y\"}, %factor: f32 {tile.name = \"factor\"})\n"
    "    attributes {tile.kernel, tile.grid = @scale_grid} {\n"
    "  %c512 = arith.constant 512 : index\n"
    "  %program = tile.program_id x\n"
    "  %start = arith.muli %program, %c512 overflow<nsw> : index\n"
    "  %tile = tile.load %x[%start] pad(zero) : !vec -> tensor<512xf32>\n"
    "  %factors = tile.splat %factor : f32 -> tensor<512xf32>\n"
    "  %scaled = arith.mulf %tile, %factors : tensor<512xf32>\n"
    "  tile.store %scaled, %y[%start] : tensor<512xf32>, !vec\n"
    "  return\n"
    "}\n"
    "\n"
    "func.func @scale_grid(%x: !vec, %y: !vec, %factor: f32) -> index {\n"
    "  %c512 = arith.constant 512 : index\n"
    "  %n = tile.view_size %y, 0 : !vec\n"
    "  %programs = arith.ceildivsi %n, %c512 : index\n"
    "  return %programs : index\n"
    "}\n";

/* The type of the loaded tile is not that of the view's elements. */
static const char kBroken[] =
    "func.func @broken(%x: !tile.view<?xf32, strides = [?]>) {\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %tile = tile.load %x[%c0] : !tile.view<?xf32, strides = [?]> -> tensor<512xf16>\n"
    "  return\n"
    "}\n";

static void printDiagnostic(const TwDiagnostic *diagnostic, void *userData) {
  static const char *const kNames[] = {"error", "warning", "remark", "note"};
  size_t i;
  (void)userData;
  printf("%s:%lld:%lld: %s: %s\n", diagnostic->file, (long long)diagnostic->line, (long long)diagnostic->column,
         kNames[diagnostic->severity], diagnostic->message);
  for (i = 0; i < diagnostic->noteCount; ++i)
    printDiagnostic(&diagnostic->notes[i], userData);
}

/* Ends the program where a call of the runtime failed. */
static void check(int failed, TwError *error) {
  if (!failed)
    return;
  fprintf(stderr, "error: %s\n", twErrorMessage(error));
  exit(1);
}

static void runScale(TwCompiled *compiled) {
  static float x[COUNT], y[COUNT];
  const int64_t shape[] = {COUNT}, strides[] = {1};
  TwError *error = NULL;
  TwBundle *bundle;
  TwBackend *backend;
  TwKernel *kernel;
  TwArg args[3];
  size_t size;
  const void *bytes = twCompiledBundle(compiled, &size);
  int i;

  bundle = twBundleOpen(bytes, size, &error);
  check(!bundle, error);
  backend = twBackendCreate("emulator", /*device=*/0, /*seed=*/0, &error);
  check(!backend, error);
  kernel = twKernelLookup(backend, bundle, "scale", &error);
  check(!kernel, error);

  for (i = 0; i < COUNT; ++i)
    x[i] = (float)i;
  memset(args, 0, sizeof args);
  for (i = 0; i < 2; ++i) {
    args[i].kind = TW_ARG_HOST;
    args[i].dtype = TW_F32;
    args[i].data = i ? y : x;
    args[i].rank = 1;
    args[i].shape = shape;
    args[i].strides = strides;
  }
  args[2].kind = TW_ARG_SCALAR;
  args[2].dtype = TW_F32;
  args[2].number = 2.5;
  check(twLaunch(kernel, args, 3, &error) != TW_OK, error);
  for (i = 0; i < COUNT; ++i) {
    if (y[i] != 2.5f * x[i]) {
      fprintf(stderr, "error: y[%d] is %g\n", i, y[i]);
      exit(1);
    }
  }
  printf("ran on %s: y[%d] = %g\n", twBackendName(backend), COUNT - 1, y[COUNT - 1]);

  /* What does not fit a parameter is refused before anything runs. */
  args[0].dtype = TW_I32;
  if (twLaunch(kernel, args, 3, &error) == TW_OK)
    exit(1);
  printf("launch refused: %s\n", twErrorMessage(error));
  twErrorDestroy(error);

  twKernelDestroy(kernel);
  twBackendDestroy(backend);
  twBundleDestroy(bundle);
}

int main(void) {
  const char *const keys[] = {"target"}, *const values[] = {"sm_90a"};
  TwContext *context = twContextCreate();
  TwModule *module, *broken;
  TwCompiled *compiled;

  twContextSetDiagnosticHandler(context, printDiagnostic, NULL);
  module = twParse(context, kScale, sizeof kScale - 1, "scale.mlir");
  compiled = module ? twCompile(module, keys, values, 1) : NULL;
  if (!compiled)
    return 1;
  printf("compiled %s: %zu bytes of PTX\n", twCompiledKernelName(compiled, 0),
         strlen(twCompiledPtx(compiled, "scale", twCompiledVariantCount(compiled, "scale") - 1)));
  runScale(compiled);

  broken = twParse(context, kBroken, sizeof kBroken - 1, "broken.mlir");
  if (broken)
    return 1;

  twCompiledDestroy(compiled);
  twModuleDestroy(module);
  twContextDestroy(context);
  return 0;
}
