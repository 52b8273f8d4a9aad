//! A home that cannot be used, and one that fails while it is: each says what to do, nothing is
//! lost, and the program does not fall over.

mod damage;
mod full_disk;
mod mounts;
mod start;
mod workspace;
