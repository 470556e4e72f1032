/* What a simulated process asks its simulation. */
#ifndef S4BXI_C_UTIL_H
#define S4BXI_C_UTIL_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "portals4.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Computes: operations, or seconds, of the processor. */
void s4bxi_compute(double flops);
void s4bxi_compute_s(double seconds);
void s4bxi_execute(double seconds);
void s4bxi_execute_flops(double flops);

/* Who is where. Ranks count all processes, local ranks those of one node. */
uint32_t s4bxi_get_my_rank(void);
uint32_t s4bxi_get_my_local_rank(void);
uint32_t s4bxi_get_rank_number(void);
uint32_t s4bxi_num_local_peers(void); /* without the caller */
uint32_t s4bxi_num_nodes(void);
/* Ranks on the caller's node, with commas; what does not fit is left out, rank by rank. */
void s4bxi_local_peers_list(char *list, size_t maxlen);
void s4bxi_get_hostname_from_rank(char *hostname, int rank);
/* 0xffffffff if there is none. */
uint32_t s4bxi_global_rank_from_local(uint32_t local);

/* The identifiers of a process: on the interface that it has named, else its node and process identifiers. */
int s4bxi_get_ptl_process_from_rank(int rank, ptl_process_t *out);
void s4bxi_set_ptl_process_for_rank(ptl_handle_ni_t ni);

/* Seconds from the start of the run. */
double s4bxi_simtime(void);

/* A mark that the process keeps. Polling costs the same with it as without. */
int s4bxi_is_polling(void);
void s4bxi_set_polling(int p);
extern int _s4bxi_should_allow_polling;

/* Waits for all processes. */
void s4bxi_barrier(void);

/* Pointers by rank and key: a later one replaces an earlier one; NULL where there is none. */
void s4bxi_keyval_store_pointer(const char *key, void *value);
void *s4bxi_keyval_fetch_pointer(int rank, const char *key);

/* Without effect: the log is of the whole run, and there is no MPI. */
void s4bxi_set_loglevel(int l);
void s4bxi_use_smpi_implem(int v);

#ifdef __GNUC__
#define S4BXI_FORMAT(text, first) __attribute__((unused, format(printf, text, first)))
#else
#define S4BXI_FORMAT(text, first)
#endif

S4BXI_FORMAT(2, 0)
static inline int s4bxi_vfprintf(FILE *stream, const char *fmt, va_list arguments)
{
    char host[256];
    int rank = (int)s4bxi_get_my_rank();

    s4bxi_get_hostname_from_rank(host, rank);
    fprintf(stream, "[%f - %s:%d] ", s4bxi_simtime(), host, rank);
    return vfprintf(stream, fmt, arguments);
}

/* Print with time, host and rank in front. */
S4BXI_FORMAT(2, 3)
static inline int s4bxi_fprintf(FILE *stream, const char *fmt, ...)
{
    va_list arguments;
    int printed;

    va_start(arguments, fmt);
    printed = s4bxi_vfprintf(stream, fmt, arguments);
    va_end(arguments);
    return printed;
}

S4BXI_FORMAT(1, 2)
static inline int s4bxi_printf(const char *fmt, ...)
{
    va_list arguments;
    int printed;

    va_start(arguments, fmt);
    printed = s4bxi_vfprintf(stdout, fmt, arguments);
    va_end(arguments);
    return printed;
}

#ifdef __cplusplus
}
#endif

#endif
