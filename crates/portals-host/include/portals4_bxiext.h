/* Names of codes, kinds of events and failures, as text. */
#ifndef PORTALS4_BXIEXT_H
#define PORTALS4_BXIEXT_H

#ifdef __cplusplus
extern "C" {
#endif

enum ptl_str_type {
    PTL_STR_ERROR,    /* PTL_OK, ... */
    PTL_STR_EVENT,    /* PTL_EVENT_PUT, ... */
    PTL_STR_FAIL_TYPE /* PTL_NI_OK, ... */
};

/* The name of a number, "Unknown" if it has none. */
const char *PtlToStr(int rc, enum ptl_str_type type);

/* How many kinds of failure there are. */
int PtlFailTypeSize(void);

#ifdef __cplusplus
}
#endif

#endif
