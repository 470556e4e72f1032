/* Match list entries: who matches, offsets, truncation, local management, permissions. */
#include "suite.h"

static struct side side;

static ptl_handle_me_t append(ptl_me_t me, void *user_ptr)
{
    ptl_handle_me_t handle;

    me.options |= PTL_ME_EVENT_LINK_DISABLE;
    NEED(PtlMEAppend(side.ni, side.pt, &me, PTL_PRIORITY_LIST, user_ptr, &handle));
    return handle;
}

static void done(ptl_handle_me_t handle)
{
    barrier();
    drain(side.eq);
    drain(side.md_eq);
    NEED(PtlMEUnlink(handle));
    barrier();
}

static void bits(void)
{
    char exact[16], wide[16];
    ptl_handle_me_t one, two;
    ptl_event_t event;
    ptl_me_t me = me_of(wide, sizeof wide, PTL_ME_OP_PUT, 0xf0);

    one = append(me_of(exact, sizeof exact, PTL_ME_OP_PUT, 0x8000000000000005ull), exact);
    me.ignore_bits = 0x0f;
    two = append(me, wide);
    barrier();
    event = put_to(&side, 8, 0x8000000000000005ull, 0);
    CHECK("ptl_me_t: match_bits are compared in all 64 bits", event.ni_fail_type == PTL_NI_OK);
    EVENT("PTL_EVENT_PUT: by match bits", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("ptl_event_t: match_bits are the initiator's", event.match_bits == 0x8000000000000005ull && event.user_ptr == exact);
    event = put_to(&side, 8, 5, 0);
    CHECK("ptl_me_t: ((incoming ^ match) & ~ignore) == 0 or no match", event.ni_fail_type == PTL_NI_DROPPED);
    event = put_to(&side, 8, 0xf9, 0);
    CHECK("ptl_me_t: ignore_bits mask out insignificant bits", event.ni_fail_type == PTL_NI_OK);
    EVENT("PTL_EVENT_PUT: by ignored bits", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("ptl_event_t: match_bits are the initiator's", event.match_bits == 0xf9 && event.user_ptr == wide);
    event = put_to(&side, 8, 0xe9, 0);
    CHECK("ptl_me_t: other bits have to match", event.ni_fail_type == PTL_NI_DROPPED);
    CHECK("PTL_SR_DROP_COUNT: counts messages that matched nothing", sr(&side, PTL_SR_DROP_COUNT) == 2);
    done(one);
    done(two);
}

static void initiators(void)
{
    ptl_handle_me_t handle;
    ptl_me_t me = me_of(side.in, 16, PTL_ME_OP_PUT, 1);
    ptl_event_t event;

    me.match_id = side.before;
    handle = append(me, NULL);
    barrier();
    CHECK("ptl_me_t: match_id is the initiator", put_to(&side, 8, 1, 0).ni_fail_type == PTL_NI_OK);
    done(handle);
    me.match_id.phys.pid = PTL_PID_ANY;
    handle = append(me, NULL);
    barrier();
    CHECK("PTL_PID_ANY: any process of the node", put_to(&side, 8, 1, 0).ni_fail_type == PTL_NI_OK);
    done(handle);
    me.match_id = side.before;
    me.match_id.phys.nid = PTL_NID_ANY;
    handle = append(me, NULL);
    barrier();
    CHECK("PTL_NID_ANY: that process of any node", put_to(&side, 8, 1, 0).ni_fail_type == PTL_NI_OK);
    done(handle);
    me.match_id = side.before;
    me.match_id.phys.nid += 1000;
    handle = append(me, NULL);
    barrier();
    CHECK("ptl_me_t: another node does not match", put_to(&side, 8, 1, 0).ni_fail_type == PTL_NI_DROPPED);
    done(handle);
    me.match_id = side.before;
    me.match_id.phys.pid ^= 1;
    handle = append(me, NULL);
    barrier();
    CHECK("ptl_me_t: another process does not match", put_to(&side, 8, 1, 0).ni_fail_type == PTL_NI_DROPPED);
    done(handle);

    /* Order: the first that matches, not the best. */
    handle = append(me_of(side.in, 16, PTL_ME_OP_PUT | PTL_ME_USE_ONCE, 1), side.in);
    handle = append(me_of(side.in, 16, PTL_ME_OP_PUT, 1), side.out);
    barrier();
    put_to(&side, 8, 1, 0);
    put_to(&side, 8, 1, 0);
    EVENT("PTL_ME_USE_ONCE: used once and then unlinked", side.eq, PTL_EVENT_AUTO_UNLINK, PTL_NI_OK, event);
    EVENT("PtlMEAppend: the first entry that matches takes the message", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("PtlMEAppend: the first entry that matches takes the message", event.user_ptr == side.in);
    EVENT("PtlMEAppend: then the next", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("PtlMEAppend: then the next", event.user_ptr == side.out);
    done(handle);
}

static void lengths(void)
{
    ptl_handle_me_t handle, second;
    ptl_event_t event;

    memset(side.in, '.', 64);
    memcpy(side.out, "0123456789abcdefghijklmnopqrstuv", 32);
    handle = append(me_of(side.in, 24, PTL_ME_OP_PUT | PTL_ME_OP_GET, 1), NULL);
    barrier();
    event = put_to(&side, 8, 1, 4);
    CHECK("ptl_event_t: at the initiator remote_offset is what the target used", event.remote_offset == 4 && event.mlength == 8);
    CHECK("ptl_event_t: at the initiator user_ptr is the operation's", event.user_ptr == side.out);
    CHECK("PtlPut: remote_offset is used unless the offset is managed locally", memcmp(side.in, "....01234567....", 16) == 0);
    EVENT("PTL_EVENT_PUT: with an offset", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("ptl_event_t: start is the entry's start and the offset", event.start == side.in + 4);
    CHECK("ptl_event_t: at the target remote_offset is what was asked for", event.remote_offset == 4);
    event = put_to(&side, 32, 1, 16);
    CHECK("ptl_me_t: the length is reduced to what lies in the region behind the offset",
          event.ni_fail_type == PTL_NI_OK && event.mlength == 8);
    CHECK("ptl_me_t: nothing behind the region is written", memcmp(side.in + 16, "01234567........", 16) == 0);
    EVENT("PTL_EVENT_PUT: truncated", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("ptl_event_t: rlength and mlength tell of truncation", event.rlength == 32 && event.mlength == 8);
    event = put_to(&side, 8, 1, 24);
    CHECK("ptl_me_t: an offset at the region's end leaves zero bytes", event.ni_fail_type == PTL_NI_OK && event.mlength == 0);
    event = put_to(&side, 8, 1, 1000);
    CHECK("ptl_me_t: an offset beyond the region leaves zero bytes", event.ni_fail_type == PTL_NI_OK && event.mlength == 0);
    event = put_to(&side, 8, 1, ~(ptl_size_t)0);
    CHECK("ptl_me_t: the largest offset leaves zero bytes", event.ni_fail_type == PTL_NI_OK && event.mlength == 0);
    event = get_from(&side, 32, 1, 20);
    CHECK("PtlGet: the reply has what lies in the region", event.mlength == 4 && event.remote_offset == 20);
    CHECK("PtlGet: and no more", memcmp(side.out, "456745678", 4) == 0 && side.out[4] == '4');
    done(handle);

    memcpy(side.out, "0123456789abcdefghijklmnopqrstuv", 32);
    handle = append(me_of(side.in, 8, PTL_ME_OP_PUT | PTL_ME_NO_TRUNCATE, 1), side.in);
    second = append(me_of(side.in, 64, PTL_ME_OP_PUT, 1), side.out);
    barrier();
    put_to(&side, 8, 1, 0);
    put_to(&side, 9, 1, 0);
    put_to(&side, 8, 1, 1);
    EVENT("PTL_ME_NO_TRUNCATE: what fits matches", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("PTL_ME_NO_TRUNCATE: what fits matches", event.user_ptr == side.in);
    EVENT("PTL_ME_NO_TRUNCATE: what does not fit makes the match fail", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("PTL_ME_NO_TRUNCATE: what does not fit makes the match fail", event.user_ptr == side.out && event.mlength == 9);
    EVENT("PTL_ME_NO_TRUNCATE: the offset counts", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("PTL_ME_NO_TRUNCATE: the offset counts", event.user_ptr == side.out);
    done(handle);
    done(second);
}

static void local(void)
{
    ptl_handle_me_t handle;
    ptl_event_t event;
    ptl_me_t me = me_of(side.in, 32, PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_MANAGE_LOCAL, 1);

    memset(side.in, '.', 64);
    memcpy(side.out, "0123456789abcdefghijklmnopqrstuv", 32);
    handle = append(me, NULL);
    barrier();
    event = put_to(&side, 5, 1, 99);
    CHECK("PTL_ME_MANAGE_LOCAL: the offset is managed locally", event.remote_offset == 0 && event.mlength == 5);
    EVENT("PTL_ME_MANAGE_LOCAL: at the start", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("ptl_event_t: at the target the offset requested by the initiator", event.remote_offset == 99 && event.start == side.in);
    event = put_to(&side, 5, 1, 0);
    CHECK("PTL_ME_MANAGE_LOCAL: the next operation accesses the next part", event.remote_offset == 5);
    CHECK("PTL_ME_MANAGE_LOCAL: one behind the other", memcmp(side.in, "0123401234......", 16) == 0);
    EVENT("PTL_ME_MANAGE_LOCAL: then behind it", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("PTL_ME_MANAGE_LOCAL: start is where the message is", event.start == side.in + 5);
    event = get_from(&side, 6, 1, 0);
    CHECK("PTL_ME_MANAGE_LOCAL: put and get share the one offset", event.remote_offset == 10 && event.mlength == 6);
    event = put_to(&side, 20, 1, 0);
    CHECK("PTL_ME_MANAGE_LOCAL: the rest of the region", event.remote_offset == 16 && event.mlength == 16);
    event = put_to(&side, 20, 1, 0);
    CHECK("PTL_ME_MANAGE_LOCAL: a full region takes zero bytes", event.ni_fail_type == PTL_NI_OK && event.mlength == 0);
    GIVES(PTL_OK, "ptl_me_t: min_free 0 disables the capability", PtlMEUnlink(handle));
    barrier();
    drain(side.eq);

    me.min_free = 12;
    handle = append(me, side.in);
    barrier();
    put_to(&side, 20, 1, 0);
    EVENT("ptl_me_t: min_free bytes left keep the entry linked", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("ptl_me_t: min_free bytes left keep the entry linked", is_quiet(side.eq));
    put_to(&side, 1, 1, 0);
    EVENT("ptl_me_t: below min_free the entry automatically unlinks", side.eq, PTL_EVENT_AUTO_UNLINK, PTL_NI_OK, event);
    CHECK("PTL_EVENT_AUTO_UNLINK: user_ptr is the entry's", event.user_ptr == side.in);
    EVENT("ptl_me_t: the message that does it is taken", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("ptl_me_t: the message that does it is taken", event.mlength == 1 && event.start == side.in + 20);
    GIVES(PTL_ARG_INVALID, "ptl_me_t: an entry unlinked by min_free is gone", PtlMEUnlink(handle));
    event = put_to(&side, 1, 1, 0);
    CHECK("ptl_me_t: an entry unlinked by min_free takes nothing", event.ni_fail_type == PTL_NI_DROPPED);

    me.options = PTL_ME_OP_PUT;
    me.min_free = 31;
    handle = append(me, NULL);
    barrier();
    put_to(&side, 32, 1, 0);
    CHECK("ptl_me_t: min_free is only used with PTL_ME_MANAGE_LOCAL", put_to(&side, 32, 1, 0).ni_fail_type == PTL_NI_OK);
    done(handle);
    me.options = PTL_ME_OP_PUT | PTL_ME_MANAGE_LOCAL | PTL_ME_NO_TRUNCATE | PTL_ME_MAY_ALIGN;
    me.min_free = 0;
    handle = append(me, NULL);
    barrier();
    put_to(&side, 30, 1, 0);
    event = put_to(&side, 3, 1, 0);
    CHECK("PTL_ME_NO_TRUNCATE: the memory available is length less the local offset", event.ni_fail_type == PTL_NI_DROPPED);
    done(handle);
}

static void permissions(void)
{
    ptl_handle_me_t handle, second;
    ptl_event_t event;
    ptl_uid_t uid;
    ptl_jid_t jid;
    ptl_me_t me = me_of(side.in, 16, PTL_ME_OP_PUT | PTL_ME_OP_GET, 1);
    int violations;

    NEED(PtlGetUid(side.ni, &uid));
    NEED(PtlGetJid(side.ni, &jid));
    violations = sr(&side, PTL_SR_PERMISSIONS_VIOLATIONS);
    me.uid = uid;
    handle = append(me, NULL);
    barrier();
    event = put_to(&side, 8, 1, 0);
    CHECK("ptl_me_t: the user identifier may access the entry", event.ni_fail_type == PTL_NI_OK);
    EVENT("PTL_EVENT_PUT: with the user", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("ptl_event_t: uid is the initiator's", event.uid == uid);
    done(handle);
    me.uid = uid + 1;
    handle = append(me, NULL);
    second = append(me_of(side.in, 16, PTL_ME_OP_PUT, 1), NULL);
    barrier();
    memset(side.in, '.', 16);
    barrier();
    event = put_to(&side, 8, 1, 0);
    CHECK("PTL_NI_PERM_VIOLATION: another user", event.type == PTL_EVENT_ACK && event.ni_fail_type == PTL_NI_PERM_VIOLATION);
    CHECK("ptl_me_t: the message is dropped, without a look at later entries", side.in[0] == '.' && is_quiet(side.eq));
    event = get_from(&side, 8, 1, 0);
    CHECK("PTL_NI_PERM_VIOLATION: of a get", event.type == PTL_EVENT_REPLY && event.ni_fail_type == PTL_NI_PERM_VIOLATION);
    CHECK("PTL_SR_PERMISSIONS_VIOLATIONS: is incremented", sr(&side, PTL_SR_PERMISSIONS_VIOLATIONS) == violations + 2);
    done(handle);
    done(second);
    me.ac_id.jid = jid;
    me.options |= PTL_ME_AUTH_USE_JID;
    handle = append(me, NULL);
    barrier();
    CHECK("PTL_ME_AUTH_USE_JID: the job may access the entry", put_to(&side, 8, 1, 0).ni_fail_type == PTL_NI_OK);
    done(handle);
    me.ac_id.jid = PTL_JID_ANY;
    handle = append(me, NULL);
    barrier();
    CHECK("PTL_JID_ANY: any job", put_to(&side, 8, 1, 0).ni_fail_type == PTL_NI_OK);
    done(handle);
    me.ac_id.jid = jid + 1;
    handle = append(me, NULL);
    barrier();
    CHECK("PTL_ME_AUTH_USE_JID: another job may not", put_to(&side, 8, 1, 0).ni_fail_type == PTL_NI_PERM_VIOLATION);
    done(handle);
}

static void operations(void)
{
    static const struct {
        unsigned int options;
        int put, get, fetch;
    } cases[] = {{0, 0, 0, 0}, {PTL_ME_OP_PUT, 1, 0, 0}, {PTL_ME_OP_GET, 0, 1, 0}, {PTL_ME_OP_PUT | PTL_ME_OP_GET, 1, 1, 1}};
    ptl_handle_me_t handle;
    ptl_event_t event;
    int violations = sr(&side, PTL_SR_OPERATIONS_VIOLATIONS), place, expected = 0;

    for (place = 0; place < 4; place++) {
        handle = append(me_of(side.in, 16, cases[place].options, 1), NULL);
        barrier();
        event = put_to(&side, 8, 1, 0);
        CHECK("PTL_ME_OP_PUT: by default entries reject put operations",
              event.ni_fail_type == (cases[place].put ? PTL_NI_OK : PTL_NI_OP_VIOLATION));
        event = get_from(&side, 8, 1, 0);
        CHECK("PTL_ME_OP_GET: by default entries reject get operations",
              event.ni_fail_type == (cases[place].get ? PTL_NI_OK : PTL_NI_OP_VIOLATION));
        NEED(PtlAtomic(side.md, 0, 8, PTL_ACK_REQ, side.next, side.pt, 1, 0, NULL, 0, PTL_SUM, PTL_INT64_T));
        event = next_event(side.md_eq);
        CHECK("PTL_ME_OP_PUT: an atomic operation is a put",
              event.ni_fail_type == (cases[place].put ? PTL_NI_OK : PTL_NI_OP_VIOLATION));
        NEED(PtlFetchAtomic(side.md, 64, side.md, 0, 8, side.next, side.pt, 1, 0, NULL, 0, PTL_SUM, PTL_INT64_T));
        event = next_event(side.md_eq);
        CHECK("PTL_ME_OP_GET: a fetching operation is a put and a get",
              event.ni_fail_type == (cases[place].fetch ? PTL_NI_OK : PTL_NI_OP_VIOLATION));
        expected += 4 - 2 * cases[place].put - cases[place].get - cases[place].fetch;
        barrier();
        CHECK("PTL_SR_OPERATIONS_VIOLATIONS: counts what entries rejected",
              sr(&side, PTL_SR_OPERATIONS_VIOLATIONS) == violations + expected);
        done(handle);
    }
}

int main(void)
{
    suite_start();
    side_open(&side, PTL_NI_MATCHING, NULL, 0, 64);
    bits();
    initiators();
    lengths();
    local();
    permissions();
    operations();
    side_close(&side);
    return suite_end();
}
