/* Process identifiers of services on a node. */
#ifndef PORTALS4_SERVICES_H
#define PORTALS4_SERVICES_H

#define PTL_PID_IP_DRV 3
#define PTL_PID_IP_SM 4
#define PTL_PID_IP_HM 5
#define PTL_PID_9P 8
#define PTL_PID_LUSTRE 9
#define PTL_PID_PING 10

#define PTLPING_PTE 0

#endif
