/* PtlLESearch and PtlMESearch. */
#include "suite.h"

static struct side side;
static char room[256];

static void fill(void)
{
    static const ptl_match_bits_t bits[] = {1, 2, 1, 3};
    int place;

    for (place = 0; place < 4; place++)
        put_to(&side, 8 + (ptl_size_t)place, bits[place], 0);
}

static ptl_me_t wanted(unsigned int options, ptl_match_bits_t bits)
{
    return me_of(NULL, 0, options, bits);
}

static void arguments(void)
{
    ptl_me_t me = wanted(0, 1);
    ptl_le_t le = le_of(NULL, 0, 0);

    GIVES(PTL_ARG_INVALID, "PtlMESearch: a valid interface", PtlMESearch(PTL_INVALID_HANDLE, side.pt, &me, PTL_SEARCH_ONLY, NULL));
    GIVES(PTL_ARG_INVALID, "PtlMESearch: a valid portal table index", PtlMESearch(side.ni, 50, &me, PTL_SEARCH_ONLY, NULL));
    GIVES(PTL_ARG_INVALID, "PtlMESearch: an index in range", PtlMESearch(side.ni, 99999, &me, PTL_SEARCH_ONLY, NULL));
    GIVES(PTL_ARG_INVALID, "PtlMESearch: ptl_search_op is one of two",
          PtlMESearch(side.ni, side.pt, &me, (ptl_search_op_t)2, NULL));
    GIVES(PTL_ARG_INVALID, "PtlMESearch: me points to a match list entry",
          PtlMESearch(side.ni, side.pt, NULL, PTL_SEARCH_ONLY, NULL));
    GIVES(PTL_ARG_INVALID, "PtlLESearch: not on a matching interface", PtlLESearch(side.ni, side.pt, &le, PTL_SEARCH_ONLY, NULL));
    me.options = 1u << 30;
    GIVES(PTL_ARG_INVALID, "PtlMESearch: options as of an append", PtlMESearch(side.ni, side.pt, &me, PTL_SEARCH_ONLY, NULL));
}

static void only(void)
{
    ptl_event_t event;
    ptl_me_t me = wanted(PTL_ME_USE_ONCE, 1);

    GIVES(PTL_OK, "PtlMESearch: PTL_OK indicates success", PtlMESearch(side.ni, side.pt, &me, PTL_SEARCH_ONLY, room));
    EVENT("PTL_SEARCH_ONLY: PTL_EVENT_SEARCH with PTL_NI_OK if found", side.eq, PTL_EVENT_SEARCH, PTL_NI_OK, event);
    CHECK("PTL_EVENT_SEARCH: user_ptr is that of the search", event.user_ptr == room);
    CHECK("PTL_EVENT_SEARCH: filled in as an overflow event",
          event.rlength == 8 && event.mlength == 8 && event.match_bits == 1 && event.hdr_data == 1001 && event.start == room);
    CHECK("PTL_EVENT_SEARCH: PTL_ME_USE_ONCE finds one, and no unlink is told", is_quiet(side.eq));
    me.options = 0;
    NEED(PtlMESearch(side.ni, side.pt, &me, PTL_SEARCH_ONLY, NULL));
    EVENT("PtlMESearch: an entry that persists finds all", side.eq, PTL_EVENT_SEARCH, PTL_NI_OK, event);
    CHECK("PtlMESearch: nothing was taken out before", event.rlength == 8);
    EVENT("PtlMESearch: the second", side.eq, PTL_EVENT_SEARCH, PTL_NI_OK, event);
    CHECK("PtlMESearch: in the order of arrival", event.rlength == 10 && is_quiet(side.eq));
    me.match_bits = 9;
    NEED(PtlMESearch(side.ni, side.pt, &me, PTL_SEARCH_ONLY, side.in));
    EVENT("PTL_NI_NO_MATCH: the search did not find an entry", side.eq, PTL_EVENT_SEARCH, PTL_NI_NO_MATCH, event);
    CHECK("PTL_EVENT_SEARCH: user_ptr is filled in then too", event.user_ptr == side.in);
    CHECK("PtlMESearch: never causes a status register to be incremented",
          sr(&side, PTL_SR_DROP_COUNT) == 0 && sr(&side, PTL_SR_PERMISSIONS_VIOLATIONS) == 0 &&
              sr(&side, PTL_SR_OPERATIONS_VIOLATIONS) == 0);
    me.match_bits = 1;
    me.options = PTL_ME_EVENT_COMM_DISABLE;
    GIVES(PTL_OK, "PtlMESearch: with events disabled it succeeds", PtlMESearch(side.ni, side.pt, &me, PTL_SEARCH_ONLY, NULL));
    CHECK("PtlMESearch: with events disabled none is generated", is_quiet(side.eq));
}

static void counted(void)
{
    ptl_handle_ct_t ct;
    ptl_ct_event_t count;
    ptl_me_t me = wanted(PTL_ME_EVENT_CT_OVERFLOW, 1);

    NEED(PtlCTAlloc(side.ni, &ct));
    me.ct_handle = ct;
    NEED(PtlMESearch(side.ni, side.pt, &me, PTL_SEARCH_ONLY, NULL));
    NEED(PtlCTGet(ct, &count));
    CHECK("PTL_ME_EVENT_CT_OVERFLOW: a search counts what it finds, and one failure when it is complete",
          count.success == 2 && count.failure == 1);
    me.options |= PTL_ME_USE_ONCE;
    NEED(PtlCTSet(ct, (ptl_ct_event_t){0, 0}));
    NEED(PtlMESearch(side.ni, side.pt, &me, PTL_SEARCH_ONLY, NULL));
    NEED(PtlCTGet(ct, &count));
    CHECK("PTL_ME_EVENT_CT_OVERFLOW: with PTL_ME_USE_ONCE one success", count.success == 1 && count.failure == 0);
    me.match_bits = 9;
    NEED(PtlCTSet(ct, (ptl_ct_event_t){0, 0}));
    NEED(PtlMESearch(side.ni, side.pt, &me, PTL_SEARCH_DELETE, NULL));
    NEED(PtlCTGet(ct, &count));
    CHECK("PTL_ME_EVENT_CT_OVERFLOW: or one failure", count.success == 0 && count.failure == 1);
    drain(side.eq);
    NEED(PtlCTFree(ct));
}

static void deleted(ptl_handle_me_t over)
{
    ptl_event_t event;
    ptl_me_t me = wanted(PTL_ME_USE_ONCE, 1);

    NEED(PtlMESearch(side.ni, side.pt, &me, PTL_SEARCH_DELETE, room));
    EVENT("PTL_SEARCH_DELETE: the event is of the operation that is found", side.eq, PTL_EVENT_PUT_OVERFLOW, PTL_NI_OK, event);
    CHECK("PTL_SEARCH_DELETE: user_ptr is that of the search", event.user_ptr == room && event.rlength == 8);
    CHECK("PTL_SEARCH_DELETE: no unlink is told, for nothing was linked", is_quiet(side.eq));
    GIVES(PTL_IN_USE, "PtlMEUnlink: other messages keep the overflow entry in use", PtlMEUnlink(over));
    me.options = 0;
    NEED(PtlMESearch(side.ni, side.pt, &me, PTL_SEARCH_ONLY, NULL));
    EVENT("PTL_SEARCH_DELETE: deletes the item from the list", side.eq, PTL_EVENT_SEARCH, PTL_NI_OK, event);
    CHECK("PTL_SEARCH_DELETE: deletes the item from the list", event.rlength == 10 && is_quiet(side.eq));
    me.ignore_bits = ~(ptl_match_bits_t)0;
    NEED(PtlMESearch(side.ni, side.pt, &me, PTL_SEARCH_DELETE, NULL));
    EVENT("PTL_SEARCH_DELETE: an entry that persists deletes all", side.eq, PTL_EVENT_PUT_OVERFLOW, PTL_NI_OK, event);
    CHECK("PTL_SEARCH_DELETE: in the order of arrival", event.rlength == 9);
    EVENT("PTL_SEARCH_DELETE: the second", side.eq, PTL_EVENT_PUT_OVERFLOW, PTL_NI_OK, event);
    EVENT("PTL_SEARCH_DELETE: the third", side.eq, PTL_EVENT_PUT_OVERFLOW, PTL_NI_OK, event);
    CHECK("PTL_SEARCH_DELETE: the third", event.rlength == 11 && is_quiet(side.eq));
    NEED(PtlMESearch(side.ni, side.pt, &me, PTL_SEARCH_DELETE, side.in));
    EVENT("PTL_SEARCH_DELETE: PTL_EVENT_SEARCH with a failure if none is found", side.eq, PTL_EVENT_SEARCH, PTL_NI_NO_MATCH, event);
    CHECK("PTL_EVENT_SEARCH: user_ptr is filled in", event.user_ptr == side.in);
    GIVES(PTL_OK, "PTL_SEARCH_DELETE: the overflow entry is not in use any more", PtlMEUnlink(over));
    CHECK("PtlMESearch: the entry is never linked into a priority list", put_to(&side, 8, 1, 0).ni_fail_type == PTL_NI_DROPPED);
}

static void plain(void)
{
    struct side other;
    ptl_handle_le_t over;
    ptl_pt_index_t quiet;
    ptl_event_t event;
    ptl_le_t le;
    ptl_me_t me = wanted(0, 1);

    side_open(&other, PTL_NI_NO_MATCHING, NULL, 0, 16);
    le = le_of(other.in, 64, PTL_LE_OP_PUT | PTL_LE_EVENT_LINK_DISABLE | PTL_LE_EVENT_COMM_DISABLE);
    GIVES(PTL_ARG_INVALID, "PtlMESearch: not on a non-matching interface", PtlMESearch(other.ni, other.pt, &me, PTL_SEARCH_ONLY, NULL));
    GIVES(PTL_ARG_INVALID, "PtlLESearch: ptl_search_op is one of two",
          PtlLESearch(other.ni, other.pt, &le, (ptl_search_op_t)2, NULL));
    GIVES(PTL_ARG_INVALID, "PtlLESearch: le points to a list entry", PtlLESearch(other.ni, other.pt, NULL, PTL_SEARCH_ONLY, NULL));
    NEED(PtlLEAppend(other.ni, other.pt, &le, PTL_OVERFLOW_LIST, NULL, &over));
    barrier();
    put_to(&other, 8, 1, 0);
    put_to(&other, 9, 2, 0);
    le.options = PTL_LE_OP_PUT | PTL_LE_USE_ONCE;
    GIVES(PTL_OK, "PtlLESearch: PTL_OK indicates success", PtlLESearch(other.ni, other.pt, &le, PTL_SEARCH_ONLY, room));
    EVENT("PtlLESearch: the first message, whatever its bits", other.eq, PTL_EVENT_SEARCH, PTL_NI_OK, event);
    CHECK("PtlLESearch: the first message, whatever its bits", event.rlength == 8 && event.user_ptr == room);
    NEED(PtlLESearch(other.ni, other.pt, &le, PTL_SEARCH_DELETE, NULL));
    EVENT("PtlLESearch: PTL_SEARCH_DELETE", other.eq, PTL_EVENT_PUT_OVERFLOW, PTL_NI_OK, event);
    le.options = PTL_LE_OP_PUT;
    NEED(PtlLESearch(other.ni, other.pt, &le, PTL_SEARCH_DELETE, NULL));
    EVENT("PtlLESearch: the rest", other.eq, PTL_EVENT_PUT_OVERFLOW, PTL_NI_OK, event);
    CHECK("PtlLESearch: the rest", event.rlength == 9);
    NEED(PtlLESearch(other.ni, other.pt, &le, PTL_SEARCH_DELETE, NULL));
    EVENT("PtlLESearch: nothing is left", other.eq, PTL_EVENT_SEARCH, PTL_NI_NO_MATCH, event);
    NEED(PtlPTAlloc(other.ni, 0, PTL_EQ_NONE, PTL_PT_ANY, &quiet));
    GIVES(PTL_OK, "PtlLESearch: in the absence of an event queue it succeeds",
          PtlLESearch(other.ni, quiet, &le, PTL_SEARCH_ONLY, NULL));
    GIVES(PTL_OK, "PtlLEUnlink: nothing keeps the overflow entry in use", PtlLEUnlink(over));
    side_close(&other);
}

int main(void)
{
    ptl_handle_me_t over;
    ptl_me_t me = me_of(room, sizeof room, PTL_ME_OP_PUT | PTL_ME_MANAGE_LOCAL | PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_COMM_DISABLE, 0);

    suite_start();
    side_open(&side, PTL_NI_MATCHING, NULL, 0, 64);
    me.ignore_bits = ~(ptl_match_bits_t)0;
    NEED(PtlMEAppend(side.ni, side.pt, &me, PTL_OVERFLOW_LIST, NULL, &over));
    barrier();
    arguments();
    fill();
    only();
    counted();
    deleted(over);
    side_close(&side);
    plain();
    return suite_end();
}
