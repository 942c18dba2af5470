#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H
#include <sys/types.h>
#include <sys/time.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <curl/curl.h>

// The transfer API is variadic, which Swift cannot call: one function per type of value.

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_write_function(CURL *easy, CURLoption option, curl_write_callback value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_open_socket_function(CURL *easy, curl_opensocket_callback value) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}
static inline CURLcode ccurl_set_close_socket_function(CURL *easy, curl_closesocket_callback value) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, value);
}
static inline CURLcode ccurl_set_resolver_start_function(CURL *easy, curl_resolver_start_callback value) {
    return curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, value);
}
static inline CURLcode ccurl_set_prerequest_function(CURL *easy, curl_prereq_callback value) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}
static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode ccurl_set_progress_function(CURL *easy, curl_xferinfo_callback value) {
    return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, value);
}
static inline CURLcode ccurl_get_tls(CURL *easy, struct curl_tlssessioninfo **value) {
    return curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, value);
}
static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode ccurl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
    return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode ccurl_multi_set_socket_function(CURLM *multi, curl_socket_callback value) {
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
}
static inline CURLMcode ccurl_multi_set_timer_function(CURLM *multi, curl_multi_timer_callback value) {
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
}
// `addr` is the first byte of an address that may be longer than its declared type.
static inline const struct sockaddr *ccurl_address(const struct curl_sockaddr *address) { return &address->addr; }
static inline CURLcode ccurl_message_result(const CURLMsg *message) { return message->data.result; }
// Macros of casts and calls, which are not imported.
static inline long ccurl_version_http_1_1(void) { return CURL_HTTP_VERSION_1_1; }
static inline long ccurl_version_http_2_over_tls(void) { return CURL_HTTP_VERSION_2TLS; }
static inline long ccurl_tls_1_2(void) { return CURL_SSLVERSION_TLSv1_2; }
static inline int ccurl_pause_receiving(void) { return CURLPAUSE_RECV; }
static inline int ccurl_pause_nothing(void) { return CURLPAUSE_CONT; }
static inline size_t ccurl_write_pause(void) { return CURL_WRITEFUNC_PAUSE; }
// What is asked of libssl, which libcurl stands on; its own headers would bring all the rest along.
struct ssl_st;
int SSL_has_pending(const struct ssl_st *session);
void SSL_get0_alpn_selected(const struct ssl_st *session, const unsigned char **name, unsigned int *length);
int SSL_get_shutdown(const struct ssl_st *session);
static inline int ccurl_tls_received_shutdown(void) { return 2; }  // SSL_RECEIVED_SHUTDOWN
static inline curl_socket_t ccurl_timeout_socket(void) { return CURL_SOCKET_TIMEOUT; }
#endif
