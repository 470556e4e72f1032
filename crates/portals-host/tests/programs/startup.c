/* Start-up calls, S4BXI's helpers, and arguments that are null. Each rank checks all; rank 0 says so. */
#include <pmi.h>
#include <portals4.h>
#include <portals4_bxiext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition) \
    if (!(condition)) { \
        fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
        exit(1); \
    }

static void keys_and_values(int rank, int size)
{
    char space[256], made[256], key[64], value[64];
    int length, other, count = 0;

    REQUIRE(PMI_KVS_Get_my_name(space, 2) == PMI_ERR_INVALID_LENGTH);
    REQUIRE(PMI_KVS_Get_my_name(NULL, 256) == PMI_ERR_INVALID_ARG);
    REQUIRE(PMI_KVS_Get_my_name(space, sizeof space) == PMI_SUCCESS);
    REQUIRE(PMI_KVS_Get_value_length_max(&length) == PMI_SUCCESS && length >= 64);
    REQUIRE(PMI_KVS_Get(space, "key-0", value, 64) == PMI_ERR_INVALID_KEY);
    REQUIRE(PMI_Barrier() == PMI_SUCCESS);
    snprintf(key, sizeof key, "key-%d", rank);
    snprintf(value, sizeof value, "value of %d", rank);
    REQUIRE(PMI_KVS_Put(space, key, value) == PMI_SUCCESS);
    REQUIRE(PMI_KVS_Commit(space) == PMI_SUCCESS);
    REQUIRE(PMI_Barrier() == PMI_SUCCESS);
    for (other = 0; other < size; other++) {
        char expected[64];

        snprintf(key, sizeof key, "key-%d", other);
        snprintf(expected, sizeof expected, "value of %d", other);
        REQUIRE(PMI_KVS_Get(space, key, value, sizeof value) == PMI_SUCCESS && strcmp(value, expected) == 0);
        REQUIRE(PMI_KVS_Get(space, key, value, 3) == PMI_ERR_INVALID_VAL_LENGTH);
    }
    REQUIRE(PMI_KVS_Iter_first(space, key, sizeof key, value, sizeof value) == PMI_SUCCESS);
    for (; key[0] != '\0'; count++)
        REQUIRE(PMI_KVS_Iter_next(space, key, sizeof key, value, sizeof value) == PMI_SUCCESS);
    REQUIRE(count == size);
    REQUIRE(PMI_KVS_Put("nowhere", "a", "b") == PMI_ERR_INVALID_KVS);
    REQUIRE(PMI_KVS_Put(space, NULL, "b") == PMI_ERR_INVALID_KEY);
    REQUIRE(PMI_KVS_Put(space, "a", NULL) == PMI_ERR_INVALID_VAL);
    REQUIRE(PMI_KVS_Create(made, sizeof made) == PMI_SUCCESS && strcmp(made, space) != 0);
    REQUIRE(PMI_KVS_Put(made, "a", "b") == PMI_SUCCESS);
    REQUIRE(PMI_KVS_Get(space, "a", value, sizeof value) == PMI_ERR_INVALID_KEY);
    REQUIRE(PMI_KVS_Destroy(made) == PMI_SUCCESS && PMI_KVS_Destroy(made) == PMI_ERR_INVALID_KVS);
    if (rank == 0) {
        REQUIRE(PMI_Publish_name("service", "port 7") == PMI_SUCCESS);
        REQUIRE(PMI_Publish_name("service", "port 8") == PMI_FAIL);
    }
    PMI_Barrier();
    REQUIRE(PMI_Lookup_name("service", value) == PMI_SUCCESS && strcmp(value, "port 7") == 0);
    PMI_Barrier();
    if (rank == 0)
        REQUIRE(PMI_Unpublish_name("service") == PMI_SUCCESS);
    PMI_Barrier();
    REQUIRE(PMI_Lookup_name("service", value) == PMI_FAIL);
}

static void helpers(int rank, int size)
{
    char text[256], expected[64];
    unsigned char *shared = (unsigned char *)S4BXI_SHARED_MALLOC(1000);
    ptl_process_t id;
    int other;

    /* Each process is on a node of its own here. */
    REQUIRE(s4bxi_get_my_rank() == (uint32_t)rank && s4bxi_get_rank_number() == (uint32_t)size);
    REQUIRE(s4bxi_get_my_local_rank() == 0 && s4bxi_num_local_peers() == 0);
    REQUIRE(s4bxi_num_nodes() == (uint32_t)size);
    REQUIRE(s4bxi_global_rank_from_local(0) == (uint32_t)rank && s4bxi_global_rank_from_local(1) == 0xffffffff);
    s4bxi_local_peers_list(text, sizeof text);
    snprintf(expected, sizeof expected, "%d", rank);
    REQUIRE(strcmp(text, expected) == 0);
    for (other = 0; other < size; other++) {
        s4bxi_get_hostname_from_rank(text, other);
        snprintf(expected, sizeof expected, "node%d", other);
        REQUIRE(strcmp(text, expected) == 0);
    }
    s4bxi_set_polling(rank);
    REQUIRE(s4bxi_is_polling() == rank);
    REQUIRE(s4bxi_get_ptl_process_from_rank(size, &id) == PTL_ARG_INVALID);
    REQUIRE(s4bxi_get_ptl_process_from_rank(0, &id) == PTL_NO_INIT);

    /* Shared memory is the same for all, and zero at first. */
    REQUIRE(shared != NULL);
    s4bxi_keyval_store_pointer("shared", shared);
    s4bxi_barrier();
    REQUIRE(shared[rank] == 0);
    shared[rank] = (unsigned char)(rank + 1);
    s4bxi_barrier();
    for (other = 0; other < size; other++) {
        REQUIRE(s4bxi_keyval_fetch_pointer(other, "shared") == shared);
        REQUIRE(shared[other] == other + 1);
    }
    REQUIRE(s4bxi_keyval_fetch_pointer(0, "nothing") == NULL);
    REQUIRE(s4bxi_keyval_fetch_pointer(size, "shared") == NULL);
    s4bxi_barrier();
    S4BXI_SHARED_FREE(shared);
    S4BXI_SHARED_FREE(S4BXI_PARTIAL_SHARED_MALLOC(100, NULL, 0));
    REQUIRE(strcmp(PtlToStr(PTL_EVENT_ACK, PTL_STR_EVENT), "PTL_EVENT_ACK") == 0);
}

static void null_arguments(void)
{
    ptl_handle_any_t handle;
    ptl_ct_event_t count;
    ptl_event_t event;
    ptl_size_t size;
    ptl_md_t iovec = {NULL, 1, PTL_IOVEC, PTL_EQ_NONE, PTL_CT_NONE};
    ptl_process_t target = {0};
    unsigned which;
    ptl_me_t me;
    ptl_le_t le;

    memset(&me, 0, sizeof me);
    memset(&le, 0, sizeof le);
    REQUIRE(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL, NULL) == PTL_ARG_INVALID);
    REQUIRE(PtlNIStatus(0, PTL_SR_DROP_COUNT, NULL) == PTL_ARG_INVALID);
    REQUIRE(PtlNIHandle(0, NULL) == PTL_ARG_INVALID);
    REQUIRE(PtlSetMap(0, 1, NULL) == PTL_ARG_INVALID);
    REQUIRE(PtlGetMap(0, 1, NULL, &size) == PTL_ARG_INVALID);
    REQUIRE(PtlGetMap(0, 0, NULL, NULL) == PTL_ARG_INVALID);
    REQUIRE(PtlPTAlloc(0, 0, PTL_EQ_NONE, 0, NULL) == PTL_ARG_INVALID);
    REQUIRE(PtlGetUid(0, NULL) == PTL_ARG_INVALID && PtlGetId(0, NULL) == PTL_ARG_INVALID);
    REQUIRE(PtlGetPhysId(0, NULL) == PTL_ARG_INVALID && PtlGetJid(0, NULL) == PTL_ARG_INVALID);
    REQUIRE(PtlMDBind(0, NULL, &handle) == PTL_ARG_INVALID);
    REQUIRE(PtlMDBind(0, &iovec, &handle) == PTL_ARG_INVALID);
    REQUIRE(PtlMEAppend(0, 0, NULL, PTL_PRIORITY_LIST, NULL, &handle) == PTL_ARG_INVALID);
    REQUIRE(PtlMEAppend(0, 0, &me, PTL_PRIORITY_LIST, NULL, NULL) == PTL_ARG_INVALID);
    REQUIRE(PtlMEAppend(0, 0, &me, (ptl_list_t)2, NULL, &handle) == PTL_ARG_INVALID);
    REQUIRE(PtlLEAppend(0, 0, NULL, PTL_PRIORITY_LIST, NULL, &handle) == PTL_ARG_INVALID);
    REQUIRE(PtlMESearch(0, 0, NULL, PTL_SEARCH_ONLY, NULL) == PTL_ARG_INVALID);
    REQUIRE(PtlLESearch(0, 0, &le, (ptl_search_op_t)2, NULL) == PTL_ARG_INVALID);
    REQUIRE(PtlEQAlloc(0, 1, NULL) == PTL_ARG_INVALID);
    REQUIRE(PtlEQGet(0, NULL) == PTL_ARG_INVALID && PtlEQWait(0, NULL) == PTL_ARG_INVALID);
    REQUIRE(PtlEQPoll(NULL, 1, 0, &event, &which) == PTL_ARG_INVALID);
    REQUIRE(PtlEQPoll(&handle, 1, 0, &event, NULL) == PTL_ARG_INVALID);
    REQUIRE(PtlEQPoll(&handle, 0, 0, &event, &which) == PTL_ARG_INVALID);
    REQUIRE(PtlCTAlloc(0, NULL) == PTL_ARG_INVALID);
    REQUIRE(PtlCTGet(0, NULL) == PTL_ARG_INVALID && PtlCTWait(0, 1, NULL) == PTL_ARG_INVALID);
    REQUIRE(PtlCTPoll(&handle, NULL, 1, 0, &count, &which) == PTL_ARG_INVALID);
    REQUIRE(PtlPut(0, 0, 0, (ptl_ack_req_t)4, target, 0, 0, 0, NULL, 0) == PTL_ARG_INVALID);
    REQUIRE(PtlSwap(0, 0, 0, 0, 8, target, 0, 0, 0, NULL, 0, NULL, PTL_CSWAP, PTL_INT64_T) == PTL_ARG_INVALID);
    REQUIRE(PtlHandleIsEqual(1, 1) == PTL_OK && PtlHandleIsEqual(1, 2) == PTL_FAIL);
    /* What is right but comes before PtlInit. */
    REQUIRE(PtlGetId(0, &target) == PTL_NO_INIT && PtlGetJid(0, &handle) == PTL_NO_INIT);
}

int main(int argc, char **argv)
{
    int rank, size, initialized, spawned = 7;

    REQUIRE(PMI_Initialized(&initialized) == PMI_SUCCESS && initialized == PMI_FALSE);
    REQUIRE(PMI_Get_rank(&rank) == PMI_ERR_INIT && PMI_Barrier() == PMI_ERR_INIT);
    REQUIRE(PMI_Init(&spawned) == PMI_SUCCESS && spawned == PMI_FALSE);
    REQUIRE(PMI_Initialized(&initialized) == PMI_SUCCESS && initialized == PMI_TRUE);
    REQUIRE(PMI_Get_rank(&rank) == PMI_SUCCESS && PMI_Get_size(&size) == PMI_SUCCESS);
    REQUIRE(PMI_Get_rank(NULL) == PMI_ERR_INVALID_ARG);
    if (argc > 1 && rank == 0)
        PMI_Abort(atoi(argv[1]), "as asked for");
    keys_and_values(rank, size);
    helpers(rank, size);
    null_arguments();
    REQUIRE(PMI_Finalize() == PMI_SUCCESS && PMI_Finalize() == PMI_ERR_INIT);
    if (rank == 0)
        printf("all is as it should be\n");
    return 0;
}
