/* Loops whose iterations S4BXI measures and then skips. Here each iteration is carried out, so that results are right
 * and runs repeat; its time counts as that of all other code does. */
#ifndef S4BXI_S4BXI_SAMPLE_H
#define S4BXI_S4BXI_SAMPLE_H

#include "s4bxi/s4bxi_c_util.h"

#define S4BXI_SAMPLE_LOOP(loop_init, loop_end, loop_iter, global, iters, thres) \
    for (loop_init; (loop_end); (void)(global), (void)(iters), (void)(thres), (loop_iter))
#define S4BXI_SAMPLE_LOCAL(loop_init, loop_end, loop_iter, iters, thres) \
    S4BXI_SAMPLE_LOOP(loop_init, loop_end, loop_iter, 0, iters, thres)
#define S4BXI_SAMPLE_GLOBAL(loop_init, loop_end, loop_iter, iters, thres) \
    S4BXI_SAMPLE_LOOP(loop_init, loop_end, loop_iter, 1, iters, thres)

/* In place of a block that is not carried out: so many seconds or operations of computing. */
#define S4BXI_SAMPLE_DELAY(duration) for (s4bxi_execute(duration); 0;)
#define S4BXI_SAMPLE_FLOPS(flops) for (s4bxi_execute_flops(flops); 0;)

#endif
