// RUN: tile-opt %s -tile-check-target=target=sm_12 -verify-diagnostics

// expected-error @below {{unknown target 'sm_12': expected one of sm_80,}}
func.func @k() attributes {tile.kernel} {
  return
}
