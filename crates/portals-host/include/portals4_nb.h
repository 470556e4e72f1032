/* Functions that S4BXI adds: a data movement that would wait for a place returns PTL_TRY_AGAIN, and the others are as those
 * without NB. portals4.h includes this. */
#ifndef PORTALS4_NB_H
#define PORTALS4_NB_H

#include "portals4.h"

#ifdef __cplusplus
extern "C" {
#endif

int PtlPutNB(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
             ptl_ack_req_t ack_req, ptl_process_t target_id, ptl_pt_index_t pt_index,
             ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
             ptl_hdr_data_t hdr_data);

int PtlGetNB(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
             ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
             ptl_size_t remote_offset, void *user_ptr);

int PtlAtomicNB(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
                ptl_ack_req_t ack_req, ptl_process_t target_id, ptl_pt_index_t pt_index,
                ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
                ptl_hdr_data_t hdr_data,
                ptl_op_t operation, ptl_datatype_t datatype);

int PtlFetchAtomicNB(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
                     ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset,
                     ptl_size_t length, ptl_process_t target_id, ptl_pt_index_t pt_index,
                     ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
                     ptl_hdr_data_t hdr_data,
                     ptl_op_t operation, ptl_datatype_t datatype);

int PtlSwapNB(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
              ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset,
              ptl_size_t length, ptl_process_t target_id, ptl_pt_index_t pt_index,
              ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
              ptl_hdr_data_t hdr_data,
              const void *operand, ptl_op_t operation, ptl_datatype_t datatype);

int PtlTriggeredPutNB(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
                      ptl_ack_req_t ack_req, ptl_process_t target_id, ptl_pt_index_t pt_index,
                      ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
                      ptl_hdr_data_t hdr_data,
                      ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold);

int PtlTriggeredGetNB(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
                      ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
                      ptl_size_t remote_offset, void *user_ptr,
                      ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold);

int PtlTriggeredAtomicNB(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
                         ptl_ack_req_t ack_req, ptl_process_t target_id, ptl_pt_index_t pt_index,
                         ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
                         ptl_hdr_data_t hdr_data,
                         ptl_op_t operation, ptl_datatype_t datatype,
                         ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold);

int PtlTriggeredFetchAtomicNB(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
                              ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset,
                              ptl_size_t length, ptl_process_t target_id, ptl_pt_index_t pt_index,
                              ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
                              ptl_hdr_data_t hdr_data,
                              ptl_op_t operation, ptl_datatype_t datatype,
                              ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold);

int PtlTriggeredSwapNB(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
                       ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset,
                       ptl_size_t length, ptl_process_t target_id, ptl_pt_index_t pt_index,
                       ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
                       ptl_hdr_data_t hdr_data,
                       const void *operand, ptl_op_t operation, ptl_datatype_t datatype,
                       ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold);

int PtlTriggeredCTIncNB(ptl_handle_ct_t ct_handle, ptl_ct_event_t increment,
                        ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold);
int PtlTriggeredCTSetNB(ptl_handle_ct_t ct_handle, ptl_ct_event_t new_ct,
                        ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold);
int PtlPTEnableNB(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index);
int PtlPTDisableNB(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index);
int PtlMDBindNB(ptl_handle_ni_t ni_handle, const ptl_md_t *md, ptl_handle_md_t *md_handle);
int PtlLEAppendNB(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_le_t *le,
                  ptl_list_t ptl_list, void *user_ptr, ptl_handle_le_t *le_handle);
int PtlLESearchNB(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_le_t *le,
                  ptl_search_op_t ptl_search_op, void *user_ptr);
int PtlMEAppendNB(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_me_t *me,
                  ptl_list_t ptl_list, void *user_ptr, ptl_handle_me_t *me_handle);
int PtlMESearchNB(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_me_t *me,
                  ptl_search_op_t ptl_search_op, void *user_ptr);

#ifdef __cplusplus
}
#endif

#endif
