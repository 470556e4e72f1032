# Flow sizes of a web search cluster: size in bytes, probability of a flow up to it.
# M. Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, figure 4: the distribution of background flows, read from
# the figure at the points that simulations of data centres commonly use. Between points it is taken as a straight line.
# Mean 1,711,250 B. Half of the flows are below 73.1 KB, and flows above 1 MB have 95 % of the bytes.
0        0
10000    0.15
20000    0.2
30000    0.3
50000    0.4
80000    0.53
200000   0.6
1000000  0.7
2000000  0.8
5000000  0.9
10000000 0.97
30000000 1
