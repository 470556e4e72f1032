# Flow sizes of a data mining cluster: size in bytes, probability of a flow up to it.
# A. Greenberg et al., "VL2: A Scalable and Flexible Data Center Network", SIGCOMM 2009, figure 2, read from the figure at
# the points that simulations of data centres commonly use. Between points it is taken as a straight line. 99 % of the flows
# are below 100 MB, as the paper says; tables that have 0.98 there are about too, with a mean of 12.66 MB.
# Mean 7,673,998.6 B. Half of the flows are below 1.1 KB, and flows above 100 MB have 72 % of the bytes.
0          0
180        0.1
216        0.2
560        0.3
900        0.4
1100       0.5
1870       0.6
3160       0.7
10000      0.8
400000     0.9
3160000    0.95
100000000  0.99
1000000000 1
