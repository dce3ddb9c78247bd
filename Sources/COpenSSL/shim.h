// CRYPTO_memcmp: comparison whose time does not depend on the contents.
#include <openssl/crypto.h>
// EVP_Digest and EVP_sha1: the hash of the WebSocket handshake, through the interface OpenSSL 3 does not deprecate.
#include <openssl/evp.h>
// RAND_bytes: random bytes that are fit for keys and tokens.
#include <openssl/rand.h>
// TLS contexts and sessions, over BIOs.
#include <openssl/ssl.h>
// What went wrong inside the library, in words.
#include <openssl/err.h>
// Names that a certificate is checked against.
#include <openssl/x509v3.h>

// A macro that Swift does not import: a peer cannot make an established session shake hands again.
static const uint64_t easel_no_renegotiation = SSL_OP_NO_RENEGOTIATION;
// Likewise: a name in a certificate as one line, without control characters.
static const unsigned long easel_name_form = XN_FLAG_RFC2253;
