//! Records written row by row with known values, and what is said of them.

mod applications;
mod damaged;
mod data;
mod lab;
mod network;
mod whole_run;
