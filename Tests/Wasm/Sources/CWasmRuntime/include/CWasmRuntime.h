#ifndef EASEL_WASM_RUNTIME_H
#define EASEL_WASM_RUNTIME_H

// The functions here are called by compiled code and by JavaScript, never by name from Swift. SwiftPM wants a header.

#endif
