#include <stddef.h>
#include <stdint.h>

// Swift asks arc4random_buf once for the seed of its hash tables. Nothing may depend on their order, so the seed needs
// no randomness: it comes from whoever runs the module, before anything else is called, and the tests try several.

static uint64_t state = 0;

__attribute__((export_name("easel_seed_hashing"))) void easel_seed_hashing(uint64_t seed) {
    state = seed;
}

void arc4random_buf(void *buffer, size_t count) {
    uint8_t *bytes = buffer;
    for (size_t index = 0; index < count; index++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        bytes[index] = (uint8_t)(state >> 56);
    }
}
