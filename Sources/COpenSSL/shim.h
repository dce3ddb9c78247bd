// CRYPTO_memcmp: comparison whose time does not depend on the contents.
#include <openssl/crypto.h>
// EVP_Digest and EVP_sha1: the hash of the WebSocket handshake, through the interface OpenSSL 3 does not deprecate.
#include <openssl/evp.h>
// RAND_bytes: random bytes that are fit for keys and tokens.
#include <openssl/rand.h>
