/* SPDX-License-Identifier: Apache-2.0 */
/**
 * \file
 * The compiler's C interface: text in; PTX, a bundle, a report and located diagnostics out. Plain C, so that any
 * language can bind it, and apart from Runtime.h, which launches bundles and needs no compiler.
 *
 *     TwContext *context = twContextCreate();
 *     twContextSetDiagnosticHandler(context, printDiagnostic, NULL);
 *     TwModule *module = twParse(context, text, strlen(text), "kernel.mlir");
 *     TwCompiled *compiled = module ? twCompile(module, keys, values, count) : NULL;
 *     if (compiled) { size_t size; const void *bundle = twCompiledBundle(compiled, &size); ... }
 *
 * A function that may fail returns NULL (or 0) after it has given the context's handler at least one diagnostic. Text
 * that is returned belongs to the handle that it was asked of and lives as long as the handle. Every handle is
 * destroyed by its own function, which accepts NULL; a context outlives what was made from it. A context and what
 * belongs to it are used by one thread at a time; different contexts are independent.
 */
#ifndef TILEWRIGHT_C_COMPILER_H
#define TILEWRIGHT_C_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TW_EXPORTED
#define TW_EXPORTED __attribute__((visibility("default")))
#endif

/** Where types and diagnostics live. */
typedef struct TwContext TwContext;
/** A parsed and verified tile program. */
typedef struct TwModule TwModule;
/** What one compilation produced. */
typedef struct TwCompiled TwCompiled;

/** How bad a diagnostic is. */
typedef enum TwSeverity {
  TW_SEVERITY_ERROR = 0,
  TW_SEVERITY_WARNING = 1,
  TW_SEVERITY_REMARK = 2,
  TW_SEVERITY_NOTE = 3
} TwSeverity;

/** One message with its place in the source. All that it points to lives until the handler returns. */
typedef struct TwDiagnostic {
  TwSeverity severity;
  /** The name that was given to twParse; empty where the place is not known. Never NULL. */
  const char *file;
  /** Counted from 1; 0 where the place is not known. */
  int64_t line, column;
  /** One sentence: what was expected, what was found. Never NULL. */
  const char *message;
  /** Places that the message refers to; each has the severity TW_SEVERITY_NOTE and no notes of its own. */
  size_t noteCount;
  const struct TwDiagnostic *notes;
} TwDiagnostic;

/** Called for each diagnostic, on the thread that called into the library; it must not call back into the context. */
typedef void (*TwDiagnosticHandler)(const TwDiagnostic *diagnostic, void *userData);

/** The version of the LLVM that the compiler is built on, e.g. "22.1.8". */
TW_EXPORTED const char *twLlvmVersion(void);

/** The passes that the option disable-pass may name, in the order of the pipeline as far as they are alone in it; NULL for
    a number that is no pass. */
TW_EXPORTED const char *twOptionalPass(size_t index);

/** Makes a context with the tile dialects in it. Never NULL. */
TW_EXPORTED TwContext *twContextCreate(void);
TW_EXPORTED void twContextDestroy(TwContext *context);

/** Sets who is told about errors and warnings; NULL drops them, as it is at first. */
TW_EXPORTED void twContextSetDiagnosticHandler(TwContext *context, TwDiagnosticHandler handler, void *userData);

/** Parses and verifies `size` bytes of MLIR text (which need not end in a zero). `fileName` is what diagnostics call
    it. */
TW_EXPORTED TwModule *twParse(TwContext *context, const char *text, size_t size, const char *fileName);
/** Reads, parses and verifies a file. */
TW_EXPORTED TwModule *twParseFile(TwContext *context, const char *path);
TW_EXPORTED void twModuleDestroy(TwModule *module);
/** The module as text. */
TW_EXPORTED const char *twModulePrint(TwModule *module);

/**
 * Compiles every kernel of a module for one target. The module is not changed and may be compiled again. Options are
 * pairs of text, spelled like the options of tile-compile without the dashes; a key may occur more than once:
 *
 *     target          sm_80, sm_89, sm_90a (the default), sm_100a, sm_120a
 *     num-warps       warps per program, for kernels that do not say it themselves
 *     disable-pass    a pass that is left out
 *     cubin           true: also assemble with ptxas; false (the default)
 *     lazy            true: no PTX, a bundle for the emulator, which lowers each variant at its first launch; false (the
 *                     default)
 *
 * and the others that `tile-compile --help` lists for the compiler. An unknown key or a bad value is a diagnostic.
 */
TW_EXPORTED TwCompiled *twCompile(TwModule *module, const char *const *keys, const char *const *values, size_t count);
TW_EXPORTED void twCompiledDestroy(TwCompiled *compiled);

/** The kernels, in source order. */
TW_EXPORTED size_t twCompiledKernelCount(const TwCompiled *compiled);
TW_EXPORTED const char *twCompiledKernelName(const TwCompiled *compiled, size_t index);
/** The PTX of one variant of a kernel; variant 0 is the one that is tried first. NULL, and no diagnostic, where there is
    no such kernel or variant. */
TW_EXPORTED size_t twCompiledVariantCount(const TwCompiled *compiled, const char *kernel);
TW_EXPORTED const char *twCompiledPtx(const TwCompiled *compiled, const char *kernel, size_t variant);
/** The bundle: plan, PTX, machine code if asked for, and what the emulator runs. Runtime.h loads it. */
TW_EXPORTED const void *twCompiledBundle(const TwCompiled *compiled, size_t *size);
/** The launch plan as JSON. */
TW_EXPORTED const char *twCompiledPlan(const TwCompiled *compiled);
/** The report as JSON: target; per dot, how it is computed; per layout conversion, how, at what cost and why; per kernel
    and variant, threads, shared memory, registers and spills if known. */
TW_EXPORTED const char *twCompiledReport(const TwCompiled *compiled);
/** Every remark as a JSON array of objects: kind, pass, name, function, file, line, column, message. */
TW_EXPORTED const char *twCompiledRemarks(const TwCompiled *compiled);

#ifdef __cplusplus
}
#endif

#endif /* TILEWRIGHT_C_COMPILER_H */
