// dace.rs - a file of numbers through the splay tree of dace
//
//     dace FILE
//
// FILE has 64-bit numbers of blocks.  Prints the hits of caches of 1, 2, 4, ...
// blocks as lines `blocks hits`.  Its file, olken.rs, is compiled with this one by
// tests/bench/peers.pl and is no part of this tree.
mod olken;
use olken::LRUSplay;
use std::{fs::File, io::Read};

/// What the tree's file expects of the crate.
pub trait LRU<T> {
    fn rec_access(&mut self, block: T) -> Option<usize>;
}

fn main() {
    let path = std::env::args().nth(1).expect("usage: dace FILE");
    let mut file = File::open(path).expect("a file");
    let mut bytes = vec![0u8; 1 << 19];
    let mut stack = LRUSplay::<u64>::new();
    // Hits by the power of two up to which the distance is.
    let mut hits = [0u64; 64];
    loop {
        let mut count = 0;
        while count < bytes.len() {
            match file.read(&mut bytes[count..]).expect("readable") {
                0 => break,
                more => count += more,
            }
        }
        for number in bytes[..count].chunks_exact(8) {
            let block = u64::from_le_bytes(number.try_into().unwrap());
            if let Some(distance) = stack.access(block) {
                hits[distance.next_power_of_two().trailing_zeros() as usize] += 1;
            }
        }
        if count < bytes.len() {
            break;
        }
    }
    let mut sum = 0;
    for power in 0..40 {
        sum += hits[power];
        println!("{} {}", 1u64 << power, sum);
    }
    std::process::exit(0); // nothing is given back
}
