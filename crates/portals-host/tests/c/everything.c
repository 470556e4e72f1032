/* Names all of the public interface: each function, type, field and constant. With -DPRINT it prints what the program that
 * hosts must agree with: sizes, offsets and numbers. Plain C99, and C++. */
#include <stddef.h>
#include <stdio.h>

#include <pmi.h>
#include <portals4.h>
#include <portals4_bxiext.h>
#include <portals4_services.h>
#include <s4bxi/s4bxi_sample.h>

#define NUMBER(name) printf(#name " %llu\n", (unsigned long long)(name));
#define SIZE(type) printf("sizeof " #type " %llu\n", (unsigned long long)sizeof(type));
#define FIELD(type, field) \
    printf(#type "." #field " %llu\n", (unsigned long long)offsetof(type, field));

static void numbers(void)
{
    NUMBER(PTL_OK)
    NUMBER(PTL_ARG_INVALID)
    NUMBER(PTL_CT_NONE_REACHED)
    NUMBER(PTL_EQ_DROPPED)
    NUMBER(PTL_EQ_EMPTY)
    NUMBER(PTL_FAIL)
    NUMBER(PTL_IGNORED)
    NUMBER(PTL_IN_USE)
    NUMBER(PTL_INTERRUPTED)
    NUMBER(PTL_LIST_TOO_LONG)
    NUMBER(PTL_NO_INIT)
    NUMBER(PTL_NO_SPACE)
    NUMBER(PTL_PID_IN_USE)
    NUMBER(PTL_PT_FULL)
    NUMBER(PTL_PT_EQ_NEEDED)
    NUMBER(PTL_PT_IN_USE)
    NUMBER(PTL_SIZE_INVALID)
    NUMBER(PTL_TRY_AGAIN)
    NUMBER(PTL_ABORTED)
    NUMBER(PTL_NI_NOT_LOGICAL)
    NUMBER(PTL_SR_DROP_COUNT)
    NUMBER(PTL_SR_PERMISSIONS_VIOLATIONS)
    NUMBER(PTL_SR_OPERATIONS_VIOLATIONS)
    NUMBER(PTL_NI_OK)
    NUMBER(PTL_NI_UNDELIVERABLE)
    NUMBER(PTL_NI_DROPPED)
    NUMBER(PTL_NI_PT_DISABLED)
    NUMBER(PTL_NI_PERM_VIOLATION)
    NUMBER(PTL_NI_OP_VIOLATION)
    NUMBER(PTL_NI_NO_MATCH)
    NUMBER(PTL_NI_SEGV)
    NUMBER(PTL_NI_TARGET_INVALID)
    NUMBER(PTL_PRIORITY_LIST)
    NUMBER(PTL_OVERFLOW_LIST)
    NUMBER(PTL_SEARCH_ONLY)
    NUMBER(PTL_SEARCH_DELETE)
    NUMBER(PTL_CT_OPERATION)
    NUMBER(PTL_CT_BYTE)
    NUMBER(PTL_NO_ACK_REQ)
    NUMBER(PTL_ACK_REQ)
    NUMBER(PTL_CT_ACK_REQ)
    NUMBER(PTL_OC_ACK_REQ)
    NUMBER(PTL_MIN)
    NUMBER(PTL_MAX)
    NUMBER(PTL_SUM)
    NUMBER(PTL_PROD)
    NUMBER(PTL_LOR)
    NUMBER(PTL_LAND)
    NUMBER(PTL_BOR)
    NUMBER(PTL_BAND)
    NUMBER(PTL_LXOR)
    NUMBER(PTL_BXOR)
    NUMBER(PTL_SWAP)
    NUMBER(PTL_CSWAP)
    NUMBER(PTL_CSWAP_NE)
    NUMBER(PTL_CSWAP_LE)
    NUMBER(PTL_CSWAP_LT)
    NUMBER(PTL_CSWAP_GE)
    NUMBER(PTL_CSWAP_GT)
    NUMBER(PTL_MSWAP)
    NUMBER(PTL_INT8_T)
    NUMBER(PTL_UINT8_T)
    NUMBER(PTL_INT16_T)
    NUMBER(PTL_UINT16_T)
    NUMBER(PTL_INT32_T)
    NUMBER(PTL_UINT32_T)
    NUMBER(PTL_FLOAT)
    NUMBER(PTL_INT64_T)
    NUMBER(PTL_UINT64_T)
    NUMBER(PTL_DOUBLE)
    NUMBER(PTL_FLOAT_COMPLEX)
    NUMBER(PTL_DOUBLE_COMPLEX)
    NUMBER(PTL_LONG_DOUBLE)
    NUMBER(PTL_LONG_DOUBLE_COMPLEX)
    NUMBER(PTL_EVENT_GET)
    NUMBER(PTL_EVENT_GET_OVERFLOW)
    NUMBER(PTL_EVENT_PUT)
    NUMBER(PTL_EVENT_PUT_OVERFLOW)
    NUMBER(PTL_EVENT_ATOMIC)
    NUMBER(PTL_EVENT_ATOMIC_OVERFLOW)
    NUMBER(PTL_EVENT_FETCH_ATOMIC)
    NUMBER(PTL_EVENT_FETCH_ATOMIC_OVERFLOW)
    NUMBER(PTL_EVENT_REPLY)
    NUMBER(PTL_EVENT_SEND)
    NUMBER(PTL_EVENT_ACK)
    NUMBER(PTL_EVENT_PT_DISABLED)
    NUMBER(PTL_EVENT_LINK)
    NUMBER(PTL_EVENT_AUTO_UNLINK)
    NUMBER(PTL_EVENT_AUTO_FREE)
    NUMBER(PTL_EVENT_SEARCH)
    NUMBER(PTL_MAJOR_VERSION)
    NUMBER(PTL_MINOR_VERSION)
    NUMBER(PTL_STATUS_LAST)
    NUMBER(PTL_SR_PERMISSION_VIOLATIONS)
    NUMBER(PTL_SR_OPERATION_VIOLATIONS)
    NUMBER(PTL_SR_LAST)
    NUMBER(PTL_EQ_NONE)
    NUMBER(PTL_CT_NONE)
    NUMBER(PTL_INVALID_HANDLE)
    NUMBER(PTL_IFACE_DEFAULT)
    NUMBER(PTL_PID_ANY)
    NUMBER(PTL_PID_MAX)
    NUMBER(PTL_NID_ANY)
    NUMBER(PTL_UID_ANY)
    NUMBER(PTL_JID_ANY)
    NUMBER(PTL_JID_NONE)
    NUMBER(PTL_PT_ANY)
    NUMBER(PTL_RANK_ANY)
    NUMBER(PTL_TIME_FOREVER)
    NUMBER(PTL_SIZE_MAX)
    NUMBER(PTL_IOVEC)
    NUMBER(PTL_NI_MATCHING)
    NUMBER(PTL_NI_NO_MATCHING)
    NUMBER(PTL_NI_LOGICAL)
    NUMBER(PTL_NI_PHYSICAL)
    NUMBER(PTL_NI_INIT_OPTIONS_MASK)
    NUMBER(PTL_NI_FLOW_CTRL)
    NUMBER(PTL_TARGET_BIND_INACCESSIBLE)
    NUMBER(PTL_TOTAL_DATA_ORDERING)
    NUMBER(PTL_COHERENT_ATOMICS)
    NUMBER(PTL_PT_ONLY_USE_ONCE)
    NUMBER(PTL_PT_FLOWCTRL)
    NUMBER(PTL_PT_ONLY_TRUNCATE)
    NUMBER(PTL_PT_MATCH_UNORDERED)
    NUMBER(PTL_PT_ALLOC_DISABLED)
    NUMBER(PTL_PT_ALLOC_OPTIONS_MASK)
    NUMBER(PTL_MD_EVENT_CT_SEND)
    NUMBER(PTL_MD_EVENT_CT_REPLY)
    NUMBER(PTL_MD_EVENT_CT_ACK)
    NUMBER(PTL_MD_UNORDERED)
    NUMBER(PTL_MD_EVENT_SUCCESS_DISABLE)
    NUMBER(PTL_MD_VOLATILE)
    NUMBER(PTL_MD_EVENT_SEND_DISABLE)
    NUMBER(PTL_MD_UNRELIABLE)
    NUMBER(PTL_MD_EVENT_CT_BYTES)
    NUMBER(PTL_MD_OPTIONS_MASK)
    NUMBER(PTL_OVERFLOW)
    NUMBER(PTL_ME_OP_PUT)
    NUMBER(PTL_ME_OP_GET)
    NUMBER(PTL_ME_USE_ONCE)
    NUMBER(PTL_ME_ACK_DISABLE)
    NUMBER(PTL_ME_UNEXPECTED_HDR_DISABLE)
    NUMBER(PTL_ME_IS_ACCESSIBLE)
    NUMBER(PTL_ME_EVENT_LINK_DISABLE)
    NUMBER(PTL_ME_EVENT_COMM_DISABLE)
    NUMBER(PTL_ME_EVENT_FLOWCTRL_DISABLE)
    NUMBER(PTL_ME_EVENT_SUCCESS_DISABLE)
    NUMBER(PTL_ME_EVENT_OVER_DISABLE)
    NUMBER(PTL_ME_EVENT_UNLINK_DISABLE)
    NUMBER(PTL_ME_EVENT_CT_COMM)
    NUMBER(PTL_ME_EVENT_CT_OVERFLOW)
    NUMBER(PTL_ME_EVENT_CT_BYTES)
    NUMBER(PTL_ME_MANAGE_LOCAL)
    NUMBER(PTL_ME_NO_TRUNCATE)
    NUMBER(PTL_ME_MAY_ALIGN)
    NUMBER(PTL_ME_LOCAL_INC_UH_RLENGTH)
    NUMBER(PTL_ME_APPEND_OPTIONS_MASK)
    NUMBER(PTL_ME_AUTH_USE_JID)
    NUMBER(PTL_LE_OP_PUT)
    NUMBER(PTL_LE_OP_GET)
    NUMBER(PTL_LE_USE_ONCE)
    NUMBER(PTL_LE_ACK_DISABLE)
    NUMBER(PTL_LE_UNEXPECTED_HDR_DISABLE)
    NUMBER(PTL_LE_IS_ACCESSIBLE)
    NUMBER(PTL_LE_EVENT_LINK_DISABLE)
    NUMBER(PTL_LE_EVENT_COMM_DISABLE)
    NUMBER(PTL_LE_EVENT_FLOWCTRL_DISABLE)
    NUMBER(PTL_LE_EVENT_SUCCESS_DISABLE)
    NUMBER(PTL_LE_EVENT_OVER_DISABLE)
    NUMBER(PTL_LE_EVENT_UNLINK_DISABLE)
    NUMBER(PTL_LE_EVENT_CT_COMM)
    NUMBER(PTL_LE_EVENT_CT_OVERFLOW)
    NUMBER(PTL_LE_EVENT_CT_BYTES)
    NUMBER(PTL_LE_AUTH_USE_JID)
    NUMBER(PTL_LE_APPEND_OPTIONS_MASK)
    NUMBER(PTL_OP_LAST)
    NUMBER(PTL_DATATYPE_LAST)
}

static void sizes(void)
{
    SIZE(ptl_sr_index_t)
    SIZE(ptl_process_t)
    SIZE(ptl_md_t)
    SIZE(ptl_iovec_t)
    SIZE(ptl_ac_id_t)
    SIZE(ptl_le_t)
    SIZE(ptl_me_t)
    SIZE(ptl_ni_fail_t)
    SIZE(ptl_ni_limits_t)
    SIZE(ptl_list_t)
    SIZE(ptl_search_op_t)
    SIZE(ptl_ct_event_t)
    SIZE(ptl_ct_type_t)
    SIZE(ptl_ack_req_t)
    SIZE(ptl_op_t)
    SIZE(ptl_datatype_t)
    SIZE(ptl_event_kind_t)
    SIZE(ptl_event_t)
    SIZE(ptl_size_t)
    SIZE(ptl_pt_index_t)
    SIZE(ptl_index_t)
    SIZE(ptl_match_bits_t)
    SIZE(ptl_hdr_data_t)
    SIZE(ptl_time_t)
    SIZE(ptl_interface_t)
    SIZE(ptl_nid_t)
    SIZE(ptl_pid_t)
    SIZE(ptl_rank_t)
    SIZE(ptl_uid_t)
    SIZE(ptl_jid_t)
    SIZE(ptl_addr_t)
    SIZE(ptl_handle_any_t)
    SIZE(ptl_handle_ni_t)
    SIZE(ptl_handle_eq_t)
    SIZE(ptl_handle_ct_t)
    SIZE(ptl_handle_md_t)
    SIZE(ptl_handle_le_t)
    SIZE(ptl_handle_me_t)
    SIZE(ptl_sr_value_t)
    FIELD(ptl_md_t, start)
    FIELD(ptl_md_t, length)
    FIELD(ptl_md_t, options)
    FIELD(ptl_md_t, eq_handle)
    FIELD(ptl_md_t, ct_handle)
    FIELD(ptl_iovec_t, iov_base)
    FIELD(ptl_iovec_t, iov_len)
    FIELD(ptl_le_t, start)
    FIELD(ptl_le_t, length)
    FIELD(ptl_le_t, ct_handle)
    FIELD(ptl_le_t, uid)
    FIELD(ptl_le_t, ac_id)
    FIELD(ptl_le_t, options)
    FIELD(ptl_me_t, start)
    FIELD(ptl_me_t, length)
    FIELD(ptl_me_t, ct_handle)
    FIELD(ptl_me_t, uid)
    FIELD(ptl_me_t, ac_id)
    FIELD(ptl_me_t, options)
    FIELD(ptl_me_t, match_id)
    FIELD(ptl_me_t, match_bits)
    FIELD(ptl_me_t, ignore_bits)
    FIELD(ptl_me_t, min_free)
    FIELD(ptl_ni_limits_t, max_entries)
    FIELD(ptl_ni_limits_t, max_unexpected_headers)
    FIELD(ptl_ni_limits_t, max_mds)
    FIELD(ptl_ni_limits_t, max_cts)
    FIELD(ptl_ni_limits_t, max_eqs)
    FIELD(ptl_ni_limits_t, max_pt_index)
    FIELD(ptl_ni_limits_t, max_iovecs)
    FIELD(ptl_ni_limits_t, max_list_size)
    FIELD(ptl_ni_limits_t, max_triggered_ops)
    FIELD(ptl_ni_limits_t, max_msg_size)
    FIELD(ptl_ni_limits_t, max_atomic_size)
    FIELD(ptl_ni_limits_t, max_fetch_atomic_size)
    FIELD(ptl_ni_limits_t, max_waw_ordered_size)
    FIELD(ptl_ni_limits_t, max_war_ordered_size)
    FIELD(ptl_ni_limits_t, max_volatile_size)
    FIELD(ptl_ni_limits_t, features)
    FIELD(ptl_ct_event_t, success)
    FIELD(ptl_ct_event_t, failure)
    FIELD(ptl_event_t, start)
    FIELD(ptl_event_t, user_ptr)
    FIELD(ptl_event_t, hdr_data)
    FIELD(ptl_event_t, match_bits)
    FIELD(ptl_event_t, rlength)
    FIELD(ptl_event_t, mlength)
    FIELD(ptl_event_t, remote_offset)
    FIELD(ptl_event_t, uid)
    FIELD(ptl_event_t, jid)
    FIELD(ptl_event_t, initiator)
    FIELD(ptl_event_t, type)
    FIELD(ptl_event_t, ptl_list)
    FIELD(ptl_event_t, pt_index)
    FIELD(ptl_event_t, ni_fail_type)
    FIELD(ptl_event_t, atomic_operation)
    FIELD(ptl_event_t, atomic_type)
    FIELD(ptl_process_t, rank)
    FIELD(ptl_process_t, phys)
    FIELD(ptl_process_t, phys.nid)
    FIELD(ptl_process_t, phys.pid)
}

#ifndef PRINT
typedef void (*function)(void);

/* The casts keep the types of the functions out of it; that they are declared is what counts. */
static const function functions[] = {
    (function)PtlInit,
    (function)PtlFini,
    (function)PtlAbort,
    (function)PtlNIInit,
    (function)PtlNIFini,
    (function)PtlNIStatus,
    (function)PtlNIHandle,
    (function)PtlSetMap,
    (function)PtlGetMap,
    (function)PtlPTAlloc,
    (function)PtlPTFree,
    (function)PtlPTDisable,
    (function)PtlPTEnable,
    (function)PtlGetUid,
    (function)PtlGetId,
    (function)PtlGetPhysId,
    (function)PtlGetJid,
    (function)PtlMDBind,
    (function)PtlMDRelease,
    (function)PtlLEAppend,
    (function)PtlLEUnlink,
    (function)PtlLESearch,
    (function)PtlMEAppend,
    (function)PtlMEUnlink,
    (function)PtlMESearch,
    (function)PtlCTAlloc,
    (function)PtlCTFree,
    (function)PtlCTCancelTriggered,
    (function)PtlCTGet,
    (function)PtlCTWait,
    (function)PtlCTPoll,
    (function)PtlCTSet,
    (function)PtlCTInc,
    (function)PtlPut,
    (function)PtlGet,
    (function)PtlAtomic,
    (function)PtlFetchAtomic,
    (function)PtlSwap,
    (function)PtlAtomicSync,
    (function)PtlNIAtomicSync,
    (function)PtlEQAlloc,
    (function)PtlEQFree,
    (function)PtlEQGet,
    (function)PtlEQWait,
    (function)PtlEQPoll,
    (function)PtlTriggeredPut,
    (function)PtlTriggeredGet,
    (function)PtlTriggeredAtomic,
    (function)PtlTriggeredFetchAtomic,
    (function)PtlTriggeredSwap,
    (function)PtlTriggeredCTInc,
    (function)PtlTriggeredCTSet,
    (function)PtlStartBundle,
    (function)PtlEndBundle,
    (function)PtlHandleIsEqual,
    (function)PtlPutNB,
    (function)PtlGetNB,
    (function)PtlAtomicNB,
    (function)PtlFetchAtomicNB,
    (function)PtlSwapNB,
    (function)PtlTriggeredPutNB,
    (function)PtlTriggeredGetNB,
    (function)PtlTriggeredAtomicNB,
    (function)PtlTriggeredFetchAtomicNB,
    (function)PtlTriggeredSwapNB,
    (function)PtlTriggeredCTIncNB,
    (function)PtlTriggeredCTSetNB,
    (function)PtlPTEnableNB,
    (function)PtlPTDisableNB,
    (function)PtlMDBindNB,
    (function)PtlLEAppendNB,
    (function)PtlLESearchNB,
    (function)PtlMEAppendNB,
    (function)PtlMESearchNB,
    (function)PMI_Init,
    (function)PMI_Initialized,
    (function)PMI_Finalize,
    (function)PMI_Get_size,
    (function)PMI_Get_rank,
    (function)PMI_Get_universe_size,
    (function)PMI_Get_appnum,
    (function)PMI_Barrier,
    (function)PMI_Abort,
    (function)PMI_Get_id,
    (function)PMI_Get_kvs_domain_id,
    (function)PMI_Get_id_length_max,
    (function)PMI_Get_clique_size,
    (function)PMI_Get_clique_ranks,
    (function)PMI_KVS_Get_my_name,
    (function)PMI_KVS_Get_name_length_max,
    (function)PMI_KVS_Get_key_length_max,
    (function)PMI_KVS_Get_value_length_max,
    (function)PMI_KVS_Create,
    (function)PMI_KVS_Destroy,
    (function)PMI_KVS_Put,
    (function)PMI_KVS_Commit,
    (function)PMI_KVS_Get,
    (function)PMI_KVS_Iter_first,
    (function)PMI_KVS_Iter_next,
    (function)PMI_Publish_name,
    (function)PMI_Unpublish_name,
    (function)PMI_Lookup_name,
    (function)PtlToStr,
    (function)PtlFailTypeSize,
    (function)s4bxi_compute,
    (function)s4bxi_compute_s,
    (function)s4bxi_execute,
    (function)s4bxi_execute_flops,
    (function)s4bxi_get_my_rank,
    (function)s4bxi_get_my_local_rank,
    (function)s4bxi_get_rank_number,
    (function)s4bxi_num_local_peers,
    (function)s4bxi_num_nodes,
    (function)s4bxi_local_peers_list,
    (function)s4bxi_get_hostname_from_rank,
    (function)s4bxi_global_rank_from_local,
    (function)s4bxi_get_ptl_process_from_rank,
    (function)s4bxi_set_ptl_process_for_rank,
    (function)s4bxi_simtime,
    (function)s4bxi_is_polling,
    (function)s4bxi_set_polling,
    (function)s4bxi_barrier,
    (function)s4bxi_keyval_store_pointer,
    (function)s4bxi_keyval_fetch_pointer,
    (function)s4bxi_set_loglevel,
    (function)s4bxi_use_smpi_implem,
    (function)s4bxi_fprintf,
    (function)s4bxi_printf,
    (function)s4bxi_shared_malloc,
    (function)s4bxi_shared_free,
};

/* As programs write it: designated and positional values, both names of the user, and the calls themselves. */
static int program(ptl_handle_ni_t ni)
{
    ptl_process_t target;
    ptl_iovec_t run = {NULL, 0};
    ptl_md_t md = {&run, 1, PTL_IOVEC, PTL_EQ_NONE, PTL_CT_NONE};
    ptl_me_t me;
    ptl_le_t le;
    ptl_ct_event_t value = {1, 0};
    ptl_handle_md_t md_handle = PTL_INVALID_HANDLE;
    ptl_handle_me_t me_handle;
    ptl_handle_le_t le_handle;
    ptl_index_t index;
    ptl_event_t event;
    uint64_t operand = 1;
    int cell, code;

    target.phys.nid = PTL_NID_ANY;
    target.phys.pid = PTL_PID_ANY;
    me.uid = PTL_UID_ANY;
    me.ac_id.jid = PTL_JID_ANY;
    le.ac_id.uid = me.uid;
    me.match_id.rank = PTL_RANK_ANY;
    code = PtlPTAlloc(ni, PTL_PT_FLOWCTRL, PTL_EQ_NONE, PTL_PT_ANY, &index);
    code += PtlMDBind(ni, &md, &md_handle);
    code += PtlMEAppend(ni, index, &me, PTL_OVERFLOW, NULL, &me_handle);
    code += PtlLEAppend(ni, index, &le, PTL_OVERFLOW_LIST, NULL, &le_handle);
    code += PtlPutNB(md_handle, 0, 1, PTL_ACK_REQ, target, index, 0, 0, NULL, 0);
    code += PtlSwap(md_handle, 0, md_handle, 0, 8, target, index, 0, 0, NULL, 0, &operand, PTL_CSWAP, PTL_UINT64_T);
    code += PtlTriggeredCTInc(PTL_CT_NONE, value, PTL_CT_NONE, 1);
    code += PtlEQPoll(&ni, 1, PTL_TIME_FOREVER, &event, &index);
    switch (event.type) {
    case PTL_EVENT_LINK:
        code += event.ptl_list == PTL_PRIORITY_LIST;
        break;
    default:
        code += event.ni_fail_type == PTL_NI_OK;
        break;
    }
    S4BXI_SAMPLE_LOCAL(cell = 0, cell < 10, cell++, 3, 0.1) { code += cell; }
    S4BXI_SAMPLE_GLOBAL(cell = 0, cell < 10, cell++, 3, 0.1) { code += cell; }
    S4BXI_SAMPLE_DELAY(1e-6) { code++; }
    S4BXI_SAMPLE_FLOPS(1e6) { code++; }
    S4BXI_SHARED_FREE(S4BXI_SHARED_MALLOC(64));
    free(S4BXI_PARTIAL_SHARED_MALLOC(64, NULL, 0));
    s4bxi_printf("%s\n", PtlToStr(S4BXI_SHARED_CALL(PtlHandleIsEqual, "x", ni, ni), PTL_STR_ERROR));
    return code + _s4bxi_should_allow_polling + PTL_PID_PING;
}
#endif

int main(void)
{
    numbers();
    sizes();
#ifndef PRINT
    return program(0) + (int)(sizeof functions / sizeof *functions);
#else
    return 0;
#endif
}
