// The parts of OpenSSL that Swift cannot import: macros, stacks and unions. One line each, no logic.
#pragma once
// Keeps the builder's directory names out of the program: OpenSSL's macros would pass this file's path to its
// allocator.
#define OPENSSL_NO_FILENAMES
#include <arpa/inet.h>
#include <dlfcn.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/conf.h>
#include <openssl/ct.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// glibc declares it only for GNU sources (dlsym(3)).
#ifndef RTLD_DEFAULT
#define RTLD_DEFAULT ((void *)0)
#endif

// Contexts.
static inline int ossl_ctx_set_versions(SSL_CTX *c, int low, int high) {
    return SSL_CTX_set_min_proto_version(c, low) == 1 && SSL_CTX_set_max_proto_version(c, high) == 1;
}
static inline void ossl_ctx_set_lean_modes(SSL_CTX *c) {
    SSL_CTX_set_mode(c, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(c, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_session_cache_mode(c, SSL_SESS_CACHE_OFF);
}
static inline int ossl_ctx_set_groups(SSL_CTX *c, const char *list) { return (int)SSL_CTX_set1_groups_list(c, list); }
// Pairs of a hash and a kind of key. Unlike the list of SSL_CTX_set1_sigalgs_list(3), it may contain a pair twice.
static inline int ossl_ctx_set_signatures(SSL_CTX *c, const int *pairs, size_t count) {
    return (int)SSL_CTX_set1_sigalgs(c, pairs, (long)count);
}
static inline void ossl_ctx_pad_hello(SSL_CTX *c) { SSL_CTX_set_options(c, SSL_OP_TLSEXT_PADDING); }
static inline void ossl_ctx_no_encrypt_then_mac(SSL_CTX *c) { SSL_CTX_set_options(c, SSL_OP_NO_ENCRYPT_THEN_MAC); }
// Compressed certificates (RFC 8879) came with OpenSSL 3.2: before, the option's bit is unused and the function absent.
// The program may run with a newer library than it was built with, so the function is looked up.
static inline void ossl_ctx_no_compressed_certificates(SSL_CTX *c) { SSL_CTX_set_options(c, (uint64_t)1 << 33); }
// Returns 1 if the hello offers zlib and nothing else.
static inline int ossl_ctx_zlib_certificates(SSL_CTX *c) {
    int (*prefer)(SSL_CTX *, int *, size_t) = dlsym(RTLD_DEFAULT, "SSL_CTX_set1_cert_comp_preference");
    int zlib = 1;
    return prefer && prefer(c, &zlib, 1) == 1;
}
static inline void ossl_ctx_set_dh_auto(SSL_CTX *c) { SSL_CTX_set_dh_auto(c, 1); }
static inline void ossl_ctx_no_tickets(SSL_CTX *c) { SSL_CTX_set_options(c, SSL_OP_NO_TICKET); }
static inline void ossl_ctx_server_preference(SSL_CTX *c) { SSL_CTX_set_options(c, SSL_OP_CIPHER_SERVER_PREFERENCE); }
static inline void ossl_ctx_allow_legacy_servers(SSL_CTX *c) { SSL_CTX_set_options(c, SSL_OP_LEGACY_SERVER_CONNECT); }
static inline int ossl_ctx_enable_scts(SSL_CTX *c) { return SSL_CTX_enable_ct(c, SSL_CT_VALIDATION_PERMISSIVE); }

// Connections.
static inline int ossl_set_server_name(SSL *s, const char *name) { return (int)SSL_set_tlsext_host_name(s, name); }
static inline int ossl_negotiated_group(SSL *s) { return (int)SSL_get_negotiated_group(s); }
// "RH" while OpenSSL waits for the next record's header (SSL_rstate_string(3)).
static inline int ossl_is_between_records(const SSL *s) { return SSL_rstate_string(s)[1] == 'H'; }
static inline EVP_PKEY *ossl_peer_temporary_key(SSL *s) {
    EVP_PKEY *key = NULL;
    return SSL_get_peer_tmp_key(s, &key) == 1 ? key : NULL;
}

// Buffer BIOs.
static inline void ossl_bio_retry_read(BIO *b) { BIO_set_retry_read(b); }
static inline void ossl_bio_clear_retry(BIO *b) { BIO_clear_retry_flags(b); }
static inline long ossl_bio_memory(BIO *b, char **start) { return BIO_get_mem_data(b, start); }

// Stacks.
static inline STACK_OF(X509) *ossl_certificates_new(void) { return sk_X509_new_null(); }
static inline int ossl_certificates_push(STACK_OF(X509) *s, X509 *x) { return sk_X509_push(s, x); }
static inline int ossl_certificates_count(const STACK_OF(X509) *s) { return sk_X509_num(s); }
static inline X509 *ossl_certificate_at(const STACK_OF(X509) *s, int i) { return sk_X509_value(s, i); }
static inline void ossl_certificates_free(STACK_OF(X509) *s) { sk_X509_free(s); }
static inline void ossl_certificates_free_all(STACK_OF(X509) *s) { sk_X509_pop_free(s, X509_free); }
static inline int ossl_scts_count(const STACK_OF(SCT) *s) { return sk_SCT_num(s); }
static inline SCT *ossl_sct_at(const STACK_OF(SCT) *s, int i) { return sk_SCT_value(s, i); }

// Subject alternative names. `kind` is GEN_DNS or GEN_IPADD, 0 for anything else.
static inline void ossl_ctx_limit_chain(SSL_CTX *c, long bytes) { SSL_CTX_set_max_cert_list(c, bytes); }
static inline GENERAL_NAMES *ossl_names_of(const X509 *x) {
    return (GENERAL_NAMES *)X509_get_ext_d2i(x, NID_subject_alt_name, NULL, NULL);
}
static inline int ossl_names_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }
static inline const unsigned char *ossl_name_at(const GENERAL_NAMES *names, int i, int *kind, int *length) {
    int type = 0;
    const ASN1_STRING *value = (const ASN1_STRING *)GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names, i), &type);
    *kind = type == GEN_DNS || type == GEN_IPADD ? type : 0;
    *length = *kind ? ASN1_STRING_length(value) : 0;
    return *kind ? ASN1_STRING_get0_data(value) : NULL;
}
static inline int ossl_names_add(GENERAL_NAMES *names, int kind, const unsigned char *bytes, int length) {
    GENERAL_NAME *name = GENERAL_NAME_new();
    ASN1_STRING *value = ASN1_STRING_type_new(kind == GEN_DNS ? V_ASN1_IA5STRING : V_ASN1_OCTET_STRING);
    if (!name || !value || !ASN1_STRING_set(value, bytes, length)) {
        GENERAL_NAME_free(name);
        ASN1_STRING_free(value);
        return 0;
    }
    GENERAL_NAME_set0_value(name, kind, value);
    if (sk_GENERAL_NAME_push(names, name) > 0) return 1;
    GENERAL_NAME_free(name);
    return 0;
}

// Certificates and keys.
static inline EVP_PKEY *ossl_generate_rsa(int bits) { return EVP_RSA_gen((size_t)bits); }
// A key in the form of OpenSSL 1.1. Up to 3.0 at least, X509_set_pubkey(3) serializes and parses a provider's key
// again, which is two thirds of a leaf's cost. A key in this form is only serialized (X509_PUBKEY_set in
// crypto/x509/x_pubkey.c).
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
static inline EVP_PKEY *ossl_generate_ec(const char *curve) {
    EC_KEY *made = EC_KEY_new_by_curve_name(EC_curve_nist2nid(curve));
    EVP_PKEY *key = EVP_PKEY_new();
    if (made && key && EC_KEY_generate_key(made) == 1 && EVP_PKEY_assign_EC_KEY(key, made) == 1) return key;
    EC_KEY_free(made);
    EVP_PKEY_free(key);
    return NULL;
}
#pragma clang diagnostic pop
static inline EVP_PKEY *ossl_generate_ed25519(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"); }
static inline int ossl_add_extension(X509 *subject, X509 *issuer, int nid, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, subject, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    int added = extension && X509_add_ext(subject, extension, -1);
    X509_EXTENSION_free(extension);
    return added;
}
static inline int ossl_print_name(BIO *b, const X509_NAME *name) {
    return X509_NAME_print_ex(b, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
}
static inline void ossl_free(void *memory) { OPENSSL_free(memory); }

// Stapled OCSP responses.
static inline int ossl_stapled_response(SSL *s, const unsigned char **start) {
    return (int)SSL_get_tlsext_status_ocsp_resp(s, start);
}
static inline void ossl_ctx_on_status_request(SSL_CTX *c, int (*answer)(SSL *, void *), void *argument) {
    SSL_CTX_set_tlsext_status_cb(c, answer);
    SSL_CTX_set_tlsext_status_arg(c, argument);
}
static inline int ossl_staple(SSL *s, const unsigned char *bytes, size_t count) {
    unsigned char *copy = OPENSSL_memdup(bytes, count);
    return copy && SSL_set_tlsext_status_ocsp_resp(s, copy, (long)count) == 1;
}
