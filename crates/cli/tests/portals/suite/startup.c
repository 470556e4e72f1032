/* Start-up: PMI-1, what S4BXI adds to find out who is where, shared memory, names of codes. Four ranks on two nodes: 0 and 2
 * on the first, 1 and 3 on the second. */
#include "suite2.h"

#include <unistd.h>

#define SPACE "packetloom"

static void before_start(void)
{
    PMI_BOOL started = 7;
    int number;
    char text[8];

    RULE("PMI_Initialized: false before PMI_Init", PMI_Initialized(&started) == PMI_SUCCESS && started == PMI_FALSE);
    RULE("PMI_Get_rank: PMI_ERR_INIT before PMI_Init", PMI_Get_rank(&number) == PMI_ERR_INIT);
    RULE("PMI_Get_size: PMI_ERR_INIT before PMI_Init", PMI_Get_size(&number) == PMI_ERR_INIT);
    RULE("PMI_Barrier: PMI_ERR_INIT before PMI_Init", PMI_Barrier() == PMI_ERR_INIT);
    RULE("PMI_KVS_Put: PMI_ERR_INIT before PMI_Init", PMI_KVS_Put(SPACE, "a", "b") == PMI_ERR_INIT);
    RULE("PMI_KVS_Get: PMI_ERR_INIT before PMI_Init", PMI_KVS_Get(SPACE, "a", text, 8) == PMI_ERR_INIT);
    RULE("PMI_Finalize: PMI_ERR_INIT before PMI_Init", PMI_Finalize() == PMI_ERR_INIT);
}

static void numbers(void)
{
    PMI_BOOL started;
    int number = -1, ranks[4] = {-1, -1, -1, -1};
    char text[300];

    RULE("PMI_Initialized: true after PMI_Init", PMI_Initialized(&started) == PMI_SUCCESS && started == PMI_TRUE);
    RULE("PMI_Get_size: all processes", PMI_Get_size(&number) == PMI_SUCCESS && number == 4);
    RULE("PMI_Get_rank: that of s4bxi_get_my_rank",
         PMI_Get_rank(&number) == PMI_SUCCESS && number == (int)s4bxi_get_my_rank());
    RULE("PMI_Get_universe_size", PMI_Get_universe_size(&number) == PMI_SUCCESS && number >= 4);
    RULE("PMI_Get_appnum: one program, 0", PMI_Get_appnum(&number) == PMI_SUCCESS && number == 0);
    RULE("PMI_Get_rank: PMI_ERR_INVALID_ARG without a place", PMI_Get_rank(NULL) == PMI_ERR_INVALID_ARG);
    RULE("PMI_Get_size: PMI_ERR_INVALID_ARG without a place", PMI_Get_size(NULL) == PMI_ERR_INVALID_ARG);
    RULE("PMI_Get_clique_size: processes on the node", PMI_Get_clique_size(&number) == PMI_SUCCESS && number == 2);
    RULE("PMI_Get_clique_ranks: which", PMI_Get_clique_ranks(ranks, 2) == PMI_SUCCESS && ranks[0] == rank % 2 &&
                                            ranks[1] == rank % 2 + 2 && ranks[2] == -1);
    RULE("PMI_Get_clique_ranks: too little room", PMI_Get_clique_ranks(ranks, 1) == PMI_ERR_INVALID_LENGTH);
    RULE("PMI_Get_id_length_max", PMI_Get_id_length_max(&number) == PMI_SUCCESS && number > 1 && number <= 300);
    RULE("PMI_Get_id: the job's name", PMI_Get_id(text, number) == PMI_SUCCESS && text[0] != 0);
    RULE("PMI_Get_id: too little room", PMI_Get_id(text, 1) == PMI_ERR_INVALID_LENGTH);
    RULE("PMI_Get_kvs_domain_id", PMI_Get_kvs_domain_id(text, number) == PMI_SUCCESS);
}

static void keys(void)
{
    char text[2000], space[300], key[300], own[32];
    int number, found = 0, code;

    RULE("PMI_KVS_Get_name_length_max", PMI_KVS_Get_name_length_max(&number) == PMI_SUCCESS && number <= 300);
    RULE("PMI_KVS_Get_my_name: the same for all", PMI_KVS_Get_my_name(space, number) == PMI_SUCCESS &&
                                                      strcmp(space, SPACE) == 0);
    RULE("PMI_KVS_Get_key_length_max", PMI_KVS_Get_key_length_max(&number) == PMI_SUCCESS && number == 256);
    memset(text, 'k', sizeof text);
    text[number] = 0;
    RULE("PMI_KVS_Put: a key that is too long", PMI_KVS_Put(space, text, "v") == PMI_ERR_INVALID_KEY_LENGTH);
    RULE("PMI_KVS_Get_value_length_max", PMI_KVS_Get_value_length_max(&number) == PMI_SUCCESS && number == 1024);
    memset(text, 'v', sizeof text);
    text[number] = 0;
    RULE("PMI_KVS_Put: a value that is too long", PMI_KVS_Put(space, "k", text) == PMI_ERR_INVALID_VAL_LENGTH);
    RULE("PMI_KVS_Put: no key", PMI_KVS_Put(space, NULL, "v") == PMI_ERR_INVALID_KEY);
    RULE("PMI_KVS_Put: no value", PMI_KVS_Put(space, "k", NULL) == PMI_ERR_INVALID_VAL);
    RULE("PMI_KVS_Put: a space that is none", PMI_KVS_Put("elsewhere", "k", "v") == PMI_ERR_INVALID_KVS);
    RULE("PMI_KVS_Get: a key that is none", PMI_KVS_Get(space, "nothing", text, 8) == PMI_ERR_INVALID_KEY);
    RULE("PMI_KVS_Commit: a space that is none", PMI_KVS_Commit("elsewhere") == PMI_ERR_INVALID_KVS);
    snprintf(own, sizeof own, "from-%d", rank);
    RULE("PMI_KVS_Put: a key and a value", PMI_KVS_Put(space, own, own + 5) == PMI_SUCCESS);
    RULE("PMI_KVS_Put: a later value replaces it", PMI_KVS_Put(space, own, own) == PMI_SUCCESS);
    RULE("PMI_KVS_Commit", PMI_KVS_Commit(space) == PMI_SUCCESS);
    barrier();
    snprintf(own, sizeof own, "from-%d", (rank + 1) % 4);
    RULE("PMI_KVS_Get: what another has put", PMI_KVS_Get(space, own, text, 16) == PMI_SUCCESS && !strcmp(text, own));
    RULE("PMI_KVS_Get: too little room", PMI_KVS_Get(space, own, text, 3) == PMI_ERR_INVALID_VAL_LENGTH);
    for (code = PMI_KVS_Iter_first(space, key, 300, text, 2000); code == PMI_SUCCESS && key[0] != 0;
         code = PMI_KVS_Iter_next(space, key, 300, text, 2000))
        found += strncmp(key, "from-", 5) == 0 && strcmp(key, text) == 0;
    RULE("PMI_KVS_Iter_first, PMI_KVS_Iter_next: all keys, and an empty one", code == PMI_SUCCESS && found == 4);
    RULE("PMI_KVS_Create: a space of one's own", PMI_KVS_Create(text, 300) == PMI_SUCCESS && strcmp(text, space) != 0);
    RULE("PMI_KVS_Create: with keys of its own", PMI_KVS_Get(text, own, key, 300) == PMI_ERR_INVALID_KEY &&
                                                     PMI_KVS_Put(text, own, "x") == PMI_SUCCESS);
    RULE("PMI_KVS_Destroy", PMI_KVS_Destroy(text) == PMI_SUCCESS);
    RULE("PMI_KVS_Destroy: it is gone", PMI_KVS_Put(text, own, "x") == PMI_ERR_INVALID_KVS);
    snprintf(own, sizeof own, "service-%d", rank);
    RULE("PMI_Publish_name", PMI_Publish_name(own, "port 5") == PMI_SUCCESS);
    RULE("PMI_Publish_name: not twice", PMI_Publish_name(own, "port 6") == PMI_FAIL);
    RULE("PMI_Lookup_name", PMI_Lookup_name(own, text) == PMI_SUCCESS && strcmp(text, "port 5") == 0);
    RULE("PMI_Unpublish_name", PMI_Unpublish_name(own) == PMI_SUCCESS);
    RULE("PMI_Lookup_name: it is gone", PMI_Lookup_name(own, text) == PMI_FAIL);
}

static void where(void)
{
    static const char *const hosts[4] = {"node0", "node1", "node0", "node1"};
    ptl_process_t id;
    char text[256];
    double before;
    int value = 5;

    RULE("s4bxi_get_rank_number: all processes", s4bxi_get_rank_number() == 4);
    RULE("s4bxi_get_my_local_rank: counts those of the node", s4bxi_get_my_local_rank() == (uint32_t)rank / 2);
    RULE("s4bxi_num_local_peers: without the caller", s4bxi_num_local_peers() == 1);
    RULE("s4bxi_num_nodes", s4bxi_num_nodes() == 2);
    RULE("s4bxi_global_rank_from_local", s4bxi_global_rank_from_local(1) == (uint32_t)rank % 2 + 2);
    RULE("s4bxi_global_rank_from_local: there is none", s4bxi_global_rank_from_local(2) == 0xffffffff);
    s4bxi_local_peers_list(text, sizeof text);
    RULE("s4bxi_local_peers_list: with commas", strcmp(text, rank % 2 ? "1,3" : "0,2") == 0);
    s4bxi_get_hostname_from_rank(text, 3);
    RULE("s4bxi_get_hostname_from_rank", strcmp(text, "node1") == 0);
    RULE("gethostname: each on its host", gethostname(text, sizeof text) == 0 && strcmp(text, hosts[rank]) == 0);
    RULE("s4bxi_get_ptl_process_from_rank: the identifiers of another",
         s4bxi_get_ptl_process_from_rank((rank + 1) % 4, &id) == PTL_OK &&
             id.phys.nid == ids[(rank + 1) % 4].phys.nid && id.phys.pid == ids[(rank + 1) % 4].phys.pid);
    RULE("s4bxi_get_ptl_process_from_rank: there is none", s4bxi_get_ptl_process_from_rank(4, &id) == PTL_ARG_INVALID);
    RULE("PtlGetPhysId: one node, several process identifiers",
         ids[0].phys.nid == ids[2].phys.nid && ids[0].phys.pid != ids[2].phys.pid && ids[0].phys.nid != ids[1].phys.nid);

    s4bxi_keyval_store_pointer("value", &value);
    s4bxi_barrier();
    RULE("s4bxi_keyval_fetch_pointer: by rank and key",
         s4bxi_keyval_fetch_pointer(rank, "value") == &value && s4bxi_keyval_fetch_pointer((rank + 1) % 4, "value"));
    RULE("s4bxi_keyval_fetch_pointer: NULL where there is none", s4bxi_keyval_fetch_pointer(rank, "other") == NULL);
    s4bxi_barrier();
    s4bxi_keyval_store_pointer("value", NULL);
    RULE("s4bxi_keyval_store_pointer: a later one replaces it", s4bxi_keyval_fetch_pointer(rank, "value") == NULL);

    /* Barriers release at the last arrival. */
    before = s4bxi_simtime();
    usleep(100000 * rank);
    s4bxi_barrier();
    RULE("s4bxi_barrier: waits for all", s4bxi_simtime() - before > 0.2999 && s4bxi_simtime() - before < 0.3001);
    before = s4bxi_simtime();
    s4bxi_compute_s(0.1);
    RULE("s4bxi_compute_s: two processes of a node share its processor", s4bxi_simtime() - before > 0.1999);
    s4bxi_barrier();
    before = s4bxi_simtime();
    usleep(100000 * (3 - rank));
    RULE("PMI_Barrier: waits for all", PMI_Barrier() == PMI_SUCCESS && s4bxi_simtime() - before > 0.2999);
}

static void *shared_block(void)
{
    return S4BXI_SHARED_MALLOC(4096);
}

static void memory(void)
{
    unsigned char *block = shared_block(), *other;

    RULE("S4BXI_SHARED_MALLOC: zeroes at first", block != NULL && block[0] == 0 && block[4095] == 0);
    barrier();
    if (rank == 2)
        block[77] = 9;
    barrier();
    RULE("S4BXI_SHARED_MALLOC: the same memory for all who ask at the same place", block[77] == 9);
    other = S4BXI_SHARED_MALLOC(4096);
    RULE("S4BXI_SHARED_MALLOC: another place, other memory", other != block && other[77] == 0);
    S4BXI_SHARED_FREE(other);
    S4BXI_SHARED_FREE(block);
}

static void names(void)
{
    RULE("PtlToStr: a code", strcmp(PtlToStr(PTL_ARG_INVALID, PTL_STR_ERROR), "PTL_ARG_INVALID") == 0);
    RULE("PtlToStr: a kind of event", strcmp(PtlToStr(PTL_EVENT_AUTO_FREE, PTL_STR_EVENT), "PTL_EVENT_AUTO_FREE") == 0);
    RULE("PtlToStr: a failure",
         strcmp(PtlToStr(PTL_NI_UNDELIVERABLE, PTL_STR_FAIL_TYPE), "PTL_NI_UNDELIVERABLE") == 0);
    RULE("PtlToStr: a number without a name", strcmp(PtlToStr(1000, PTL_STR_ERROR), "Unknown") == 0);
}

int main(void)
{
    before_start();
    suite_begin(1);
    numbers();
    keys();
    where();
    memory();
    names();
    barrier();
    NEED(PtlNIFini(ni));
    PtlFini();
    RULE("PMI_Finalize", PMI_Finalize() == PMI_SUCCESS);
    return suite_end();
}
