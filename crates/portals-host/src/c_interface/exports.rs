//! All functions, and the one variable, by name: what the program that hosts must export, whether it calls it or not.

use super::{
    counters, descriptors, entries, interfaces, moves, names, nonblocking, pmi, queues, s4bxi, shared, table,
    triggered,
};

/// A function's name and its address.
macro_rules! by_name {
    ($($module:ident: $($function:ident)*;)*) => {
        vec![$($((stringify!($function), $module::$function as *const ())),*),*]
    };
}

/// Each function and variable that a hosted program can use, with its address. Whoever calls this has them all linked in.
pub fn exports() -> Vec<(&'static str, *const ())> {
    let mut all = by_name! {
        counters:
            PtlCTAlloc PtlCTFree PtlCTCancelTriggered PtlCTGet PtlCTWait PtlCTPoll PtlCTSet PtlCTInc;
        descriptors:
            PtlMDBind PtlMDRelease;
        entries:
            PtlLEAppend PtlLEUnlink PtlLESearch PtlMEAppend PtlMEUnlink PtlMESearch;
        interfaces:
            PtlInit PtlFini PtlAbort PtlNIInit PtlNIFini PtlNIStatus PtlNIHandle PtlSetMap PtlGetMap
            PtlGetUid PtlGetId PtlGetPhysId PtlGetJid PtlStartBundle PtlEndBundle PtlAtomicSync
            PtlNIAtomicSync PtlHandleIsEqual;
        moves:
            PtlPut PtlPutNB PtlTriggeredPut PtlTriggeredPutNB PtlGet PtlGetNB PtlTriggeredGet
            PtlTriggeredGetNB PtlAtomic PtlAtomicNB PtlTriggeredAtomic PtlTriggeredAtomicNB PtlFetchAtomic
            PtlFetchAtomicNB PtlTriggeredFetchAtomic PtlTriggeredFetchAtomicNB PtlSwap PtlSwapNB
            PtlTriggeredSwap PtlTriggeredSwapNB;
        names:
            PtlToStr PtlFailTypeSize;
        nonblocking:
            PtlPTEnableNB PtlPTDisableNB PtlMDBindNB PtlLEAppendNB PtlLESearchNB PtlMEAppendNB PtlMESearchNB
            PtlTriggeredCTIncNB PtlTriggeredCTSetNB;
        pmi:
            PMI_Init PMI_Initialized PMI_Finalize PMI_Get_size PMI_Get_rank PMI_Get_universe_size
            PMI_Get_appnum PMI_Get_clique_size PMI_Get_clique_ranks PMI_Barrier PMI_Abort PMI_Get_id
            PMI_Get_kvs_domain_id PMI_Get_id_length_max PMI_KVS_Get_my_name PMI_KVS_Get_name_length_max
            PMI_KVS_Get_key_length_max PMI_KVS_Get_value_length_max PMI_KVS_Create PMI_KVS_Destroy
            PMI_KVS_Put PMI_KVS_Commit PMI_KVS_Get PMI_KVS_Iter_first PMI_KVS_Iter_next PMI_Publish_name
            PMI_Unpublish_name PMI_Lookup_name;
        queues:
            PtlEQAlloc PtlEQFree PtlEQGet PtlEQWait PtlEQPoll;
        s4bxi:
            s4bxi_compute s4bxi_compute_s s4bxi_execute s4bxi_execute_flops s4bxi_get_my_rank
            s4bxi_get_my_local_rank s4bxi_get_rank_number s4bxi_num_local_peers s4bxi_num_nodes
            s4bxi_local_peers_list s4bxi_get_hostname_from_rank s4bxi_global_rank_from_local
            s4bxi_get_ptl_process_from_rank s4bxi_set_ptl_process_for_rank s4bxi_simtime s4bxi_is_polling
            s4bxi_set_polling s4bxi_barrier s4bxi_keyval_store_pointer s4bxi_keyval_fetch_pointer
            s4bxi_set_loglevel s4bxi_use_smpi_implem;
        shared:
            s4bxi_shared_malloc s4bxi_shared_free;
        table:
            PtlPTAlloc PtlPTFree PtlPTDisable PtlPTEnable;
        triggered:
            PtlTriggeredCTInc PtlTriggeredCTSet;
    };
    all.push((
        "_s4bxi_should_allow_polling",
        (&raw const s4bxi::_s4bxi_should_allow_polling).cast(),
    ));
    all
}
