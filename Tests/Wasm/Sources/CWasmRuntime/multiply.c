#include <stdint.h>

// The compiler calls __multi3 for a product of 128 bits (a String's capacity check, a random number in a range). It is
// part of clang's built-in functions, which the toolchain does not have for wasm.

typedef struct {
    uint64_t low;
    uint64_t high;
} Wide;

Wide __multi3(uint64_t leftLow, uint64_t leftHigh, uint64_t rightLow, uint64_t rightHigh) {
    // Schoolbook multiplication of the low words by halves of 32 bits; the high words only add to the upper half.
    uint64_t left0 = (uint32_t)leftLow, left1 = leftLow >> 32;
    uint64_t right0 = (uint32_t)rightLow, right1 = rightLow >> 32;
    uint64_t product00 = left0 * right0;
    uint64_t product01 = left0 * right1;
    uint64_t product10 = left1 * right0;
    uint64_t middle = (product00 >> 32) + (uint32_t)product01 + (uint32_t)product10;
    Wide product = {
        .low = (middle << 32) | (uint32_t)product00,
        .high = left1 * right1 + (product01 >> 32) + (product10 >> 32) + (middle >> 32),
    };
    product.high += leftLow * rightHigh + leftHigh * rightLow;
    return product;
}
