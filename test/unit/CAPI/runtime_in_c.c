/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime's header compiled as C, and one launch written in C. */
#include "tilewright-c/Runtime.h"

#include <string.h>

int runAddInC(const void *bundleBytes, size_t bundleSize, const char *backendName, char *message, size_t messageSize);

/* Adds two arrays, one of them reversed, on a backend. Returns the status; `message` receives the error. */
int runAddInC(const void *bundleBytes, size_t bundleSize, const char *backendName, char *message, size_t messageSize) {
  float a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40}, c[4] = {0, 0, 0, 0};
  int64_t shape[1] = {4}, forwards[1] = {1}, backwards[1] = {-1};
  TwError *error = NULL;
  TwStatus status = TW_OK;
  TwBundle *bundle = twBundleOpen(bundleBytes, bundleSize, &error);
  TwBackend *backend = bundle ? twBackendCreate(backendName, 0, 0, &error) : NULL;
  TwKernel *kernel = backend ? twKernelLookup(backend, bundle, "add", &error) : NULL;
  if (kernel) {
    TwArg args[3];
    memset(args, 0, sizeof(args));
    for (int i = 0; i < 3; ++i) {
      args[i].kind = TW_ARG_HOST;
      args[i].dtype = TW_F32;
      args[i].rank = 1;
      args[i].shape = shape;
      args[i].strides = forwards;
    }
    args[0].data = a;
    args[1].data = b + 3;
    args[1].strides = backwards;
    args[2].data = c;
    status = twLaunch(kernel, args, 3, &error);
    if (status == TW_OK && (c[0] != 41 || c[3] != 14))
      status = TW_CHECK_FAILED;
  }
  message[0] = '\0';
  if (error) {
    status = twErrorStatus(error);
    strncpy(message, twErrorMessage(error), messageSize - 1);
    message[messageSize - 1] = '\0';
  }
  twErrorDestroy(error);
  /* Any order will do. */
  twBackendDestroy(backend);
  twBundleDestroy(bundle);
  twKernelDestroy(kernel);
  return status;
}
