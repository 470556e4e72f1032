/* Atomic operations: each operator with each type it goes with, over three elements, as PtlAtomic and PtlFetchAtomic; all
 * swaps; what does not go together; PtlAtomicSync. Rank 0 works on memory of rank 1. */
#include "suite2.h"

#include <complex.h>

static unsigned char source[256], landing[256], target[256];
static ptl_handle_eq_t eq;
static ptl_handle_ct_t ct;
static ptl_handle_md_t md, get, all_of_it;

/* Three elements of each type, at the initiator and at the target, and what an operator makes of them. */
#define OPERANDS(type, a0, a1, a2, b0, b1, b2)                                                \
    type a[3] = {(type)(a0), (type)(a1), (type)(a2)}, b[3] = {(type)(b0), (type)(b1), (type)(b2)}, c[3]

/* Puts b at the target, does the operation with a, fetches the result. True if the target then has c, what was fetched was
 * b, and the element behind is as before. */
static int gives(ptl_op_t op, ptl_datatype_t type, const void *a, const void *b, const void *c, size_t item, int fetch)
{
    size_t n = 3 * item;
    ptl_ct_event_t value;
    int held = 1;

    NEED(PtlCTSet(ct, both(0, 0)));
    memset(source, 0x5a, sizeof source);
    memcpy(source, b, n);
    NEED(PtlPut(all_of_it, 0, n + item, PTL_CT_ACK_REQ, ids[1], 0, 1, 0, NULL, 0));
    NEED(PtlCTWait(ct, 1, &value));
    memcpy(source, a, n);
    memset(landing, 0x11, sizeof landing);
    if (fetch) {
        NEED(PtlFetchAtomic(get, 0, md, 0, n, ids[1], 0, 1, 0, NULL, 0, op, type));
        NEED(PtlCTWait(ct, 2, &value));
        s4bxi_compute_s(0.00001);
        held = memcmp(landing, b, n) == 0 && landing[n] == 0x11;
    } else {
        NEED(PtlAtomic(md, 0, n, PTL_CT_ACK_REQ, ids[1], 0, 1, 0, NULL, 0, op, type));
        NEED(PtlCTWait(ct, 2, &value));
    }
    NEED(PtlGet(get, 0, n + item, ids[1], 0, 1, 0, NULL));
    NEED(PtlCTWait(ct, 3, &value));
    return held && is(value, 3, 0) && memcmp(landing, c, n) == 0 && landing[n] == 0x5a && landing[n + item - 1] == 0x5a;
}

#define TRY(op, type_name, item)                                                              \
    do {                                                                                      \
        RULE("PtlAtomic: " #op " of " #type_name, gives(op, type_name, a, b, c, item, 0));    \
        RULE("PtlFetchAtomic: " #op " of " #type_name ", and what was before",                \
             gives(op, type_name, a, b, c, item, 1));                                         \
    } while (0)

#define EACH(op, type_name, type, expression)                                                 \
    do {                                                                                      \
        int i;                                                                                \
                                                                                              \
        for (i = 0; i < 3; i++) {                                                             \
            type x = a[i], y = b[i];                                                          \
                                                                                              \
            c[i] = (type)(expression);                                                        \
        }                                                                                     \
        TRY(op, type_name, sizeof(type));                                                     \
    } while (0)

#define ARITHMETIC(type_name, type)                                                           \
    EACH(PTL_SUM, type_name, type, x + y);                                                    \
    EACH(PTL_PROD, type_name, type, x *y)

#define ORDERED(type_name, type)                                                              \
    EACH(PTL_MIN, type_name, type, x < y ? x : y);                                            \
    EACH(PTL_MAX, type_name, type, x > y ? x : y)

#define INTEGER(type_name, type, ...)                                                         \
    do {                                                                                      \
        OPERANDS(type, __VA_ARGS__);                                                          \
        ORDERED(type_name, type);                                                             \
        ARITHMETIC(type_name, type);                                                          \
        EACH(PTL_LOR, type_name, type, x || y);                                               \
        EACH(PTL_LAND, type_name, type, x &&y);                                               \
        EACH(PTL_LXOR, type_name, type, !x != !y);                                            \
        EACH(PTL_BOR, type_name, type, x | y);                                                \
        EACH(PTL_BAND, type_name, type, x &y);                                                \
        EACH(PTL_BXOR, type_name, type, x ^ y);                                               \
    } while (0)

#define REAL(type_name, type)                                                                 \
    do {                                                                                      \
        OPERANDS(type, 1.5, -2.25, 1000, 0.5, 8, -3);                                         \
        ORDERED(type_name, type);                                                             \
        ARITHMETIC(type_name, type);                                                          \
    } while (0)

/* Parts are small whole numbers: results are exact. */
#define COMPLEX(type_name, type)                                                              \
    do {                                                                                      \
        OPERANDS(type, 1 + 2 * I, -3 + I, 4, 5 - I, 2 + 2 * I, -7 * I);                       \
        ARITHMETIC(type_name, type);                                                          \
    } while (0)

static void operators(void)
{
    INTEGER(PTL_INT8_T, int8_t, 5, -7, 0, -100, 3, 9);
    INTEGER(PTL_UINT8_T, uint8_t, 5, 250, 0, 100, 3, 9);
    INTEGER(PTL_INT16_T, int16_t, 5, -700, 0, -100, 3, 9);
    INTEGER(PTL_UINT16_T, uint16_t, 5, 65000, 0, 100, 3, 9);
    INTEGER(PTL_INT32_T, int32_t, 5, -7, 0, -100, 3, 9);
    INTEGER(PTL_UINT32_T, uint32_t, 5, 4000000000U, 0, 100, 1, 9);
    INTEGER(PTL_INT64_T, int64_t, 5, -7, 0, -100000000000, 3, 9);
    INTEGER(PTL_UINT64_T, uint64_t, 5, 0xf000000000000000U, 0, 100, 3, 9);
    REAL(PTL_FLOAT, float);
    REAL(PTL_DOUBLE, double);
    COMPLEX(PTL_FLOAT_COMPLEX, float complex);
    COMPLEX(PTL_DOUBLE_COMPLEX, double complex);
}

/* Long doubles have bytes without meaning: values are compared. */
static void long_doubles(void)
{
    long double a = 2.5L, b = -8, got;
    ptl_ct_event_t value;

    NEED(PtlCTSet(ct, both(0, 0)));
    memcpy(source, &b, sizeof b);
    NEED(PtlPut(all_of_it, 0, sizeof b, PTL_CT_ACK_REQ, ids[1], 0, 1, 0, NULL, 0));
    NEED(PtlCTWait(ct, 1, &value));
    memcpy(source, &a, sizeof a);
    NEED(PtlFetchAtomic(get, 0, md, 0, sizeof a, ids[1], 0, 1, 0, NULL, 0, PTL_PROD, PTL_LONG_DOUBLE));
    NEED(PtlCTWait(ct, 2, &value));
    memcpy(&got, landing, sizeof got);
    RULE("PtlFetchAtomic: PTL_LONG_DOUBLE, of the system's width: what was before", got == -8);
    NEED(PtlGet(get, 0, sizeof a, ids[1], 0, 1, 0, NULL));
    NEED(PtlCTWait(ct, 3, &value));
    memcpy(&got, landing, sizeof got);
    RULE("PtlFetchAtomic: PTL_PROD of PTL_LONG_DOUBLE", got == -20);
}

/* Swaps one 64-bit word that is `before` with `with`; true if it is `after` then and `before` came back. */
static int swapped(ptl_op_t op, int64_t operand, int64_t before, int64_t with, int64_t after)
{
    ptl_ct_event_t value;
    int64_t got, now;

    NEED(PtlCTSet(ct, both(0, 0)));
    memcpy(source, &before, 8);
    NEED(PtlPut(all_of_it, 0, 8, PTL_CT_ACK_REQ, ids[1], 0, 1, 0, NULL, 0));
    NEED(PtlCTWait(ct, 1, &value));
    memcpy(source, &with, 8);
    NEED(PtlSwap(get, 0, md, 0, 8, ids[1], 0, 1, 0, NULL, 0, &operand, op, PTL_INT64_T));
    operand = -99; /* read when the call was made */
    NEED(PtlCTWait(ct, 2, &value));
    memcpy(&got, landing, 8);
    NEED(PtlGet(get, 0, 8, ids[1], 0, 1, 0, NULL));
    NEED(PtlCTWait(ct, 3, &value));
    memcpy(&now, landing, 8);
    return got == before && now == after;
}

static void swaps(void)
{
    double operand = 1.5, before = 1.5, with = 6, got;
    uint64_t many[3] = {1, 2, 3}, back[3];
    ptl_ct_event_t value;

    RULE("PTL_CSWAP: operand equal to the target: swapped", swapped(PTL_CSWAP, 5, 5, 9, 9));
    RULE("PTL_CSWAP: not equal: the target is returned, and left", swapped(PTL_CSWAP, 4, 5, 9, 5));
    RULE("PTL_CSWAP_NE: not equal: swapped", swapped(PTL_CSWAP_NE, 4, 5, 9, 9));
    RULE("PTL_CSWAP_NE: equal: left", swapped(PTL_CSWAP_NE, 5, 5, 9, 5));
    RULE("PTL_CSWAP_LE: operand less than the target: swapped", swapped(PTL_CSWAP_LE, -1, 5, 9, 9));
    RULE("PTL_CSWAP_LE: equal: swapped", swapped(PTL_CSWAP_LE, 5, 5, 9, 9));
    RULE("PTL_CSWAP_LE: greater: left", swapped(PTL_CSWAP_LE, 6, 5, 9, 5));
    RULE("PTL_CSWAP_LT: less: swapped, with signs", swapped(PTL_CSWAP_LT, -6, -5, 9, 9));
    RULE("PTL_CSWAP_LT: equal: left", swapped(PTL_CSWAP_LT, 5, 5, 9, 5));
    RULE("PTL_CSWAP_GE: greater: swapped", swapped(PTL_CSWAP_GE, 6, 5, 9, 9));
    RULE("PTL_CSWAP_GE: equal: swapped", swapped(PTL_CSWAP_GE, 5, 5, 9, 9));
    RULE("PTL_CSWAP_GE: less: left", swapped(PTL_CSWAP_GE, 4, 5, 9, 5));
    RULE("PTL_CSWAP_GT: greater: swapped", swapped(PTL_CSWAP_GT, 6, 5, 9, 9));
    RULE("PTL_CSWAP_GT: equal: left", swapped(PTL_CSWAP_GT, 5, 5, 9, 5));
    RULE("PTL_MSWAP: the bits that are 1 in the operand", swapped(PTL_MSWAP, 0x0f0f, 0x1234, 0xabcd, 0x1b3d));
    RULE("PTL_MSWAP: no bits", swapped(PTL_MSWAP, 0, 0x1234, 0xabcd, 0x1234));
    RULE("PTL_SWAP: always, the operand is ignored", swapped(PTL_SWAP, 77, 5, 9, 9));

    NEED(PtlCTSet(ct, both(0, 0)));
    memcpy(source, many, 24);
    NEED(PtlSwap(get, 0, md, 0, 24, ids[1], 0, 1, 64, NULL, 0, NULL, PTL_SWAP, PTL_UINT64_T));
    NEED(PtlCTWait(ct, 1, &value));
    NEED(PtlSwap(get, 0, md, 0, 24, ids[1], 0, 1, 64, NULL, 0, NULL, PTL_SWAP, PTL_UINT64_T));
    NEED(PtlCTWait(ct, 2, &value));
    memcpy(back, landing, 24);
    RULE("PTL_SWAP: several items, without an operand", memcmp(back, many, 24) == 0);

    NEED(PtlCTSet(ct, both(0, 0)));
    memcpy(source, &before, 8);
    NEED(PtlPut(all_of_it, 0, 8, PTL_CT_ACK_REQ, ids[1], 0, 1, 0, NULL, 0));
    NEED(PtlCTWait(ct, 1, &value));
    memcpy(source, &with, 8);
    NEED(PtlSwap(get, 0, md, 0, 8, ids[1], 0, 1, 0, NULL, 0, &operand, PTL_CSWAP_GE, PTL_DOUBLE));
    NEED(PtlCTWait(ct, 2, &value));
    NEED(PtlGet(get, 0, 8, ids[1], 0, 1, 0, NULL));
    NEED(PtlCTWait(ct, 3, &value));
    memcpy(&got, landing, 8);
    RULE("PTL_CSWAP_GE: of PTL_DOUBLE", got == 6);
}

static int atomic(ptl_op_t op, ptl_datatype_t type, ptl_size_t length)
{
    return PtlAtomic(md, 0, length, PTL_NO_ACK_REQ, ids[1], 0, 1, 128, NULL, 0, op, type);
}

static int fetch(ptl_op_t op, ptl_datatype_t type, ptl_size_t length)
{
    return PtlFetchAtomic(get, 0, md, 0, length, ids[1], 0, 1, 128, NULL, 0, op, type);
}

static int swap(ptl_op_t op, ptl_datatype_t type, ptl_size_t length)
{
    uint64_t operand[4] = {0};

    return PtlSwap(get, 0, md, 0, length, ids[1], 0, 1, 128, NULL, 0, operand, op, type);
}

static void refusals(void)
{
    RETURNS("PtlAtomic: an operation that is none", PTL_ARG_INVALID, atomic((ptl_op_t)PTL_OP_LAST, PTL_INT32_T, 4));
    RETURNS("PtlAtomic: a type that is none", PTL_ARG_INVALID, atomic(PTL_SUM, (ptl_datatype_t)PTL_DATATYPE_LAST, 4));
    RETURNS("PtlAtomic: PTL_SWAP is of PtlSwap", PTL_ARG_INVALID, atomic(PTL_SWAP, PTL_INT32_T, 4));
    RETURNS("PtlAtomic: PTL_MSWAP is of PtlSwap", PTL_ARG_INVALID, atomic(PTL_MSWAP, PTL_INT32_T, 4));
    RETURNS("PtlFetchAtomic: PTL_CSWAP is of PtlSwap", PTL_ARG_INVALID, fetch(PTL_CSWAP, PTL_INT32_T, 4));
    RETURNS("PtlFetchAtomic: an operation that is none", PTL_ARG_INVALID, fetch((ptl_op_t)-1, PTL_INT32_T, 4));
    RETURNS("PtlSwap: PTL_SUM is none of its operations", PTL_ARG_INVALID, swap(PTL_SUM, PTL_INT32_T, 4));
    RETURNS("PtlSwap: an operation that is none", PTL_ARG_INVALID, swap((ptl_op_t)PTL_OP_LAST, PTL_INT32_T, 4));
    RETURNS("PTL_CSWAP: limited to single data items", PTL_ARG_INVALID, swap(PTL_CSWAP, PTL_INT32_T, 8));
    RETURNS("PTL_CSWAP_LT: limited to single data items", PTL_ARG_INVALID, swap(PTL_CSWAP_LT, PTL_INT8_T, 2));
    RETURNS("PTL_MSWAP: limited to single data items", PTL_ARG_INVALID, swap(PTL_MSWAP, PTL_UINT16_T, 4));
    RETURNS("PtlSwap: PTL_CSWAP needs its operand", PTL_ARG_INVALID,
            PtlSwap(get, 0, md, 0, 8, ids[1], 0, 1, 0, NULL, 0, NULL, PTL_CSWAP, PTL_INT64_T));
    RETURNS("PtlFetchAtomic: get_md_handle is not valid", PTL_ARG_INVALID,
            PtlFetchAtomic(PTL_INVALID_HANDLE, 0, md, 0, 8, ids[1], 0, 1, 0, NULL, 0, PTL_SUM, PTL_INT64_T));
    RETURNS("PtlFetchAtomic: put_md_handle is not valid", PTL_ARG_INVALID,
            PtlFetchAtomic(get, 0, PTL_INVALID_HANDLE, 0, 8, ids[1], 0, 1, 0, NULL, 0, PTL_SUM, PTL_INT64_T));
    RETURNS("PtlFetchAtomic: outside the get descriptor", PTL_ARG_INVALID,
            PtlFetchAtomic(get, 250, md, 0, 8, ids[1], 0, 1, 0, NULL, 0, PTL_SUM, PTL_INT64_T));
    RETURNS("PtlFetchAtomic: outside the put descriptor", PTL_ARG_INVALID,
            PtlFetchAtomic(get, 0, md, 250, 8, ids[1], 0, 1, 0, NULL, 0, PTL_SUM, PTL_INT64_T));
    RETURNS("PtlAtomic: PTL_ACK_REQ needs an event queue", PTL_ARG_INVALID,
            PtlAtomic(md, 0, 8, PTL_ACK_REQ, ids[1], 0, 1, 0, NULL, 0, PTL_SUM, PTL_INT64_T));
}

static void limits_and_synchronization(void)
{
    ptl_ni_limits_t limits, asked;
    ptl_handle_ni_t first = ni, other;
    ptl_handle_md_t wide, of_other;
    ptl_process_t self;
    char bytes[64] = {0};

    NEED(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, &asked, &other));
    NEED(PtlNIFini(other));
    asked.max_atomic_size = 32;
    asked.max_fetch_atomic_size = 16;
    NEED(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, &asked, &limits, &ni));
    RULE("ptl_ni_limits_t: atomic sizes as desired",
         limits.max_atomic_size == 32 && limits.max_fetch_atomic_size == 16);
    NEED(PtlGetPhysId(ni, &self));
    wide = new_md(bytes, 64, 0, PTL_EQ_NONE, PTL_CT_NONE);
    RETURNS("PtlAtomic: max_atomic_size bytes", PTL_OK,
            PtlAtomic(wide, 0, 32, PTL_NO_ACK_REQ, self, 9, 0, 0, NULL, 0, PTL_SUM, PTL_INT64_T));
    RETURNS("PtlAtomic: more than max_atomic_size bytes", PTL_ARG_INVALID,
            PtlAtomic(wide, 0, 40, PTL_NO_ACK_REQ, self, 9, 0, 0, NULL, 0, PTL_SUM, PTL_INT64_T));
    of_other = new_md(bytes, 64, 0, PTL_EQ_NONE, PTL_CT_NONE);
    RETURNS("PtlFetchAtomic: max_fetch_atomic_size bytes", PTL_OK,
            PtlFetchAtomic(of_other, 32, wide, 0, 16, self, 9, 0, 0, NULL, 0, PTL_SUM, PTL_INT64_T));
    RETURNS("PtlFetchAtomic: more than max_fetch_atomic_size bytes", PTL_ARG_INVALID,
            PtlFetchAtomic(of_other, 32, wide, 0, 24, self, 9, 0, 0, NULL, 0, PTL_SUM, PTL_INT64_T));
    RETURNS("PtlSwap: more than max_fetch_atomic_size bytes", PTL_ARG_INVALID,
            PtlSwap(of_other, 32, wide, 0, 24, self, 9, 0, 0, NULL, 0, NULL, PTL_SWAP, PTL_INT64_T));
    RETURNS("PtlFetchAtomic: descriptors of two interfaces", PTL_ARG_INVALID,
            PtlFetchAtomic(get, 0, wide, 0, 8, self, 9, 0, 0, NULL, 0, PTL_SUM, PTL_INT64_T));
    s4bxi_compute_s(0.001);
    NEED(PtlNIFini(ni));
    ni = first;
    RETURNS("PtlAtomicSync: the host may touch what atomic operations have touched", PTL_OK, PtlAtomicSync());
}

int main(void)
{
    RETURNS("PtlAtomicSync: PTL_NO_INIT before PtlInit", PTL_NO_INIT, PtlAtomicSync());
    suite_begin(1);
    eq = new_queue(8);
    ct = new_counter();
    new_index(PTL_EQ_NONE, 0);
    if (rank == 1)
        open_entry(0, target, sizeof target, PTL_ME_OP_PUT | PTL_ME_OP_GET, 1, PTL_CT_NONE);
    barrier();
    if (rank == 0) {
        md = new_md(source, sizeof source, PTL_MD_EVENT_CT_ACK, PTL_EQ_NONE, ct);
        all_of_it = new_md(source, sizeof source, PTL_MD_EVENT_CT_ACK, PTL_EQ_NONE, ct);
        get = new_md(landing, sizeof landing, PTL_MD_EVENT_CT_REPLY, PTL_EQ_NONE, ct);
        operators();
        long_doubles();
        swaps();
        refusals();
        limits_and_synchronization();
    }
    barrier();
    return suite_end();
}
