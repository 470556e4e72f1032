/* PtlGetId, PtlGetPhysId, PtlGetUid, PtlGetJid, and the maps of logical interfaces. */
#include "suite.h"

static void identifiers(void)
{
    ptl_handle_ni_t ni;
    ptl_process_t id, phys, *ids;
    ptl_uid_t uid = 4000000000u, again;
    ptl_jid_t jid;
    int rank;

    NEED(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL, &ni));
    GIVES(PTL_OK, "PtlGetId: PTL_OK indicates success", PtlGetId(ni, &id));
    GIVES(PTL_OK, "PtlGetPhysId: PTL_OK indicates success", PtlGetPhysId(ni, &phys));
    CHECK("PtlGetId: on a physical interface the node and process identifier",
          id.phys.nid == phys.phys.nid && id.phys.pid == phys.phys.pid);
    CHECK("PTL_PID_ANY: is the wildcard, no process identifier", id.phys.pid != PTL_PID_ANY);
    CHECK("PTL_NID_ANY: is the wildcard, no node identifier", id.phys.nid != PTL_NID_ANY);
    ids = suite_ids(ni);
    for (rank = 0; rank < suite_size; rank++)
        CHECK("PtlGetId: no two processes have the same identifier",
              rank == suite_rank || ids[rank].phys.nid != id.phys.nid || ids[rank].phys.pid != id.phys.pid);
    free(ids);
    GIVES(PTL_OK, "PtlGetUid: PTL_OK indicates success", PtlGetUid(ni, &uid));
    GIVES(PTL_OK, "PtlGetUid: PTL_OK indicates success", PtlGetUid(ni, &again));
    CHECK("PtlGetUid: every process runs on behalf of a user, who stays the same", uid == again && uid != PTL_UID_ANY);
    GIVES(PTL_OK, "PtlGetJid: PTL_OK indicates success", PtlGetJid(ni, &jid));
    CHECK("PtlGetJid: PTL_JID_ANY is the wildcard, no job", jid != PTL_JID_ANY);

    GIVES(PTL_ARG_INVALID, "PtlGetId: not a valid network interface handle", PtlGetId(PTL_INVALID_HANDLE, &id));
    GIVES(PTL_ARG_INVALID, "PtlGetPhysId: not a valid network interface handle", PtlGetPhysId(PTL_INVALID_HANDLE, &id));
    GIVES(PTL_ARG_INVALID, "PtlGetUid: not a valid network interface handle", PtlGetUid(PTL_INVALID_HANDLE, &uid));
    GIVES(PTL_ARG_INVALID, "PtlGetJid: not a valid network interface handle", PtlGetJid(PTL_INVALID_HANDLE, &jid));
    GIVES(PTL_ARG_INVALID, "PtlGetId: id must be a place", PtlGetId(ni, NULL));
    GIVES(PTL_ARG_INVALID, "PtlGetPhysId: id must be a place", PtlGetPhysId(ni, NULL));
    GIVES(PTL_ARG_INVALID, "PtlGetUid: uid must be a place", PtlGetUid(ni, NULL));
    GIVES(PTL_ARG_INVALID, "PtlGetJid: jid must be a place", PtlGetJid(ni, NULL));
    NEED(PtlNIFini(ni));
}

static void maps(void)
{
    ptl_handle_ni_t ni, physical;
    ptl_handle_eq_t eq, target_eq;
    ptl_handle_md_t mdh;
    ptl_handle_le_t leh;
    ptl_process_t id, next, found[8], *ids, *backward;
    ptl_pt_index_t index;
    ptl_size_t size = 0;
    ptl_event_t event;
    ptl_md_t md;
    ptl_le_t le = le_of(NULL, 0, PTL_LE_OP_PUT | PTL_LE_EVENT_LINK_DISABLE);
    int rank;

    memset(&md, 0, sizeof md);
    NEED(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_LOGICAL, PTL_PID_ANY, NULL, NULL, &ni));
    NEED(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL, &physical));
    ids = suite_ids(ni);
    backward = (ptl_process_t *)calloc((size_t)suite_size, sizeof *backward);
    for (rank = 0; rank < suite_size; rank++)
        backward[rank] = ids[suite_size - 1 - rank];

    NEED(PtlEQAlloc(ni, 8, &eq));
    md.eq_handle = eq;
    md.ct_handle = PTL_CT_NONE;
    NEED(PtlMDBind(ni, &md, &mdh));
    next.rank = (ptl_rank_t)((suite_rank + 1) % suite_size);
    GIVES(PTL_ARG_INVALID, "PtlGetMap: there is no map before PtlSetMap", PtlGetMap(ni, 8, found, &size));
    GIVES(PTL_ARG_INVALID, "PtlGetId: there is no rank before PtlSetMap", PtlGetId(ni, &id));
    GIVES(PTL_ARG_INVALID, "PtlSetMap: must be called before other functions that apply to the interface",
          PtlPut(mdh, 0, 0, PTL_NO_ACK_REQ, next, 0, 0, 0, NULL, 0));
    GIVES(PTL_ARG_INVALID, "PtlSetMap: a physical interface has no map", PtlSetMap(physical, (ptl_size_t)suite_size, ids));
    GIVES(PTL_ARG_INVALID, "PtlGetMap: a physical interface has no map", PtlGetMap(physical, 8, found, &size));
    GIVES(PTL_ARG_INVALID, "PtlSetMap: not a valid interface", PtlSetMap(PTL_INVALID_HANDLE, (ptl_size_t)suite_size, ids));
    GIVES(PTL_ARG_INVALID, "PtlGetMap: not a valid interface", PtlGetMap(PTL_INVALID_HANDLE, 8, found, &size));
    GIVES(PTL_ARG_INVALID, "PtlSetMap: mapping points to an array", PtlSetMap(ni, (ptl_size_t)suite_size, NULL));
    GIVES(PTL_ARG_INVALID, "PtlSetMap: an empty map is none", PtlSetMap(ni, 0, ids));

    GIVES(PTL_OK, "PtlSetMap: PTL_OK indicates success", PtlSetMap(ni, (ptl_size_t)suite_size, backward));
    GIVES(PTL_OK, "PtlGetId: on a logical interface the rank", PtlGetId(ni, &id));
    CHECK("PtlSetMap: entry N contains the identifier of rank N", id.rank == (ptl_rank_t)(suite_size - 1 - suite_rank));
    GIVES(PTL_OK, "PtlSetMap: a later call overwrites the map", PtlSetMap(ni, (ptl_size_t)suite_size, ids));
    NEED(PtlGetId(ni, &id));
    CHECK("PtlSetMap: a later call overwrites the map", id.rank == (ptl_rank_t)suite_rank);
    NEED(PtlGetPhysId(ni, &id));
    CHECK("PtlGetPhysId: of a logical interface as well",
          id.phys.nid == ids[suite_rank].phys.nid && id.phys.pid == ids[suite_rank].phys.pid);

    memset(found, 0xff, sizeof found);
    GIVES(PTL_OK, "PtlGetMap: PTL_OK indicates success", PtlGetMap(ni, 8, found, &size));
    CHECK("PtlGetMap: actual_map_size is the size of the map", size == (ptl_size_t)suite_size);
    for (rank = 0; rank < suite_size; rank++)
        CHECK("PtlGetMap: entry N is the pair of rank N", memcmp(&found[rank], &ids[rank], sizeof *ids) == 0);
    CHECK("PtlGetMap: no more than the map is written", found[suite_size].phys.nid == 0xffffffff);
    memset(found, 0xff, sizeof found);
    GIVES(PTL_OK, "PtlGetMap: the map may be bigger than map_size", PtlGetMap(ni, 1, found, &size));
    CHECK("PtlGetMap: map_size entries are written",
          found[0].phys.nid == ids[0].phys.nid && found[1].phys.nid == 0xffffffff);
    CHECK("PtlGetMap: actual_map_size may be bigger than map_size", size == (ptl_size_t)suite_size);
    GIVES(PTL_OK, "PtlGetMap: with no room at all it tells the size", PtlGetMap(ni, 0, NULL, &size));
    GIVES(PTL_ARG_INVALID, "PtlGetMap: mapping points to an array", PtlGetMap(ni, 1, NULL, &size));

    /* Ranks address processes, and initiators are told by rank. */
    NEED(PtlEQAlloc(ni, 8, &target_eq));
    NEED(PtlPTAlloc(ni, 0, target_eq, 0, &index));
    NEED(PtlLEAppend(ni, 0, &le, PTL_PRIORITY_LIST, NULL, &leh));
    barrier();
    GIVES(PTL_OK, "PtlPut: target_id is a rank on a logical interface",
          PtlPut(mdh, 0, 0, PTL_ACK_REQ, next, 0, 0, 0, NULL, 0));
    EVENT("PtlPut: a message to a rank arrives", target_eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("ptl_event_t: initiator is a rank on a logical interface",
          event.initiator.rank == (ptl_rank_t)((suite_rank + suite_size - 1) % suite_size));
    next.rank = (ptl_rank_t)suite_size;
    GIVES(PTL_ARG_INVALID, "PtlPut: target_id is not a valid process identifier",
          PtlPut(mdh, 0, 0, PTL_NO_ACK_REQ, next, 0, 0, 0, NULL, 0));
    barrier();
    free(ids);
    free(backward);
    NEED(PtlNIFini(ni));
    GIVES(PTL_OK, "PtlNIFini: the physical interface stays", PtlNIFini(physical));
}

int main(void)
{
    suite_start();
    NEED(PtlInit());
    identifiers();
    maps();
    PtlFini();
    return suite_end();
}
