// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s -split-input-file -verify-diagnostics

// launch_c1
func.func @no_kernel(%n: i32) {
  // expected-error @below {{expects a kernel that is no variant, found @missing}}
  tile.launch @missing(%n) : (i32) -> ()
  return
}

// -----

// launch_c1
func.func @plain(%n: i32) {
  return
}
func.func @plain_function(%n: i32) {
  // expected-error @below {{expects a kernel that is no variant, found @plain}}
  tile.launch @plain(%n) : (i32) -> ()
  return
}

// -----

// launch_c2
// expected-note @below {{the kernel takes 'i32'}}
func.func @kernel(%n: i32) attributes {tile.kernel} {
  return
}
func.func @wrong_type(%n: i64) {
  // expected-error @below {{expects the kernel's parameters, found 'i64'}}
  tile.launch @kernel(%n) : (i64) -> ()
  return
}

// -----

// launch_c2
// expected-note @below {{the kernel takes 'i32'}}
func.func @kernel(%n: i32) attributes {tile.kernel} {
  return
}
func.func @wrong_count() {
  // expected-error @below {{expects the kernel's parameters, found}}
  tile.launch @kernel() : () -> ()
  return
}

// -----

// launch_c3
func.func @kernel() attributes {tile.kernel} {
  // expected-error @below {{expects to stand in the body of a host function, a func.func without tile.kernel}}
  tile.launch @kernel() : () -> ()
  return
}

// -----

// launch_c3
func.func @kernel() attributes {tile.kernel} {
  return
}
func.func @nested(%c: i1) {
  scf.if %c {
    // expected-error @below {{expects to stand in the body of a host function, a func.func without tile.kernel}}
    tile.launch @kernel() : () -> ()
  }
  return
}

// -----

// expected-error @below {{expected tile.independent on a loop or tile.launch only}}
func.func @kernel() attributes {tile.kernel, tile.independent} {
  return
}

// -----

// expected-error @below {{expected tile.persistent to be true or false, found 1 : i64}}
func.func @kernel() attributes {tile.kernel, tile.persistent = 1} {
  return
}

// -----

// expected-error @below {{expected tile.grid_group to be an integer of 1 to 65536, found 0 : i64}}
func.func @kernel() attributes {tile.kernel, tile.grid_group = 0} {
  return
}
