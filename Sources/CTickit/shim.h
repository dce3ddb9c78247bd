// Terminals, pens, render buffers and the width of strings: everything the editor draws and reads with.
#include <tickit.h>
// A terminal in memory: the tests draw on it and read back what a person would see.
#include <tickit-mockterm.h>
