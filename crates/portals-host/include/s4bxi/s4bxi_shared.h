/* Memory that processes share, to save it where its contents do not matter. */
#ifndef S4BXI_S4BXI_SHARED_H
#define S4BXI_S4BXI_SHARED_H

#include <stddef.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The same memory for all processes that ask at the same place of the source for the same size; zeroes at first. */
void *s4bxi_shared_malloc(size_t size, const char *file, int line);

/* Gives it back; the last of those that asked frees it. */
void s4bxi_shared_free(void *data);

#ifdef __cplusplus
}
#endif

#define S4BXI_SHARED_MALLOC(size) s4bxi_shared_malloc((size), __FILE__, __LINE__)
#define S4BXI_SHARED_FREE(data) s4bxi_shared_free(data)

/* Private memory, all of it: what would be shared is right as well, and only larger. Freed by S4BXI_SHARED_FREE too. */
#define S4BXI_PARTIAL_SHARED_MALLOC(size, shared_block_offsets, nb_shared_blocks) \
    ((void)(shared_block_offsets), (void)(nb_shared_blocks), malloc(size))

/* Each process calls for itself. */
#define S4BXI_SHARED_CALL(func, input, ...) ((void)(input), (func)(__VA_ARGS__))

#endif
