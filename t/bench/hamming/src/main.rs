/* SPDX-License-Identifier: MIT */
//! hamming FILE K BLOCKS: writes all pairs within K of the 64-bit fingerprints "hex TAB id" in FILE.
//! With BLOCKS 0 it uses the crate's ChunkedJoiner on two words of 32 bits, else its MultiSort.
use all_pairs_hamming::{multi_sort::MultiSort, ChunkedJoiner};
use std::io::Write;

fn main() {
    let arg: Vec<String> = std::env::args().collect();
    let text = std::fs::read(&arg[1]).unwrap();
    let (k, blocks): (usize, usize) = (arg[2].parse().unwrap(), arg[3].parse().unwrap());
    let (mut fps, mut ids) = (Vec::new(), Vec::new());
    for line in text.split(|&b| b == b'\n').filter(|l| !l.is_empty()) {
        let hex = std::str::from_utf8(&line[..16]).unwrap();
        fps.push(u64::from_str_radix(hex, 16).unwrap());
        ids.push(&line[17..]);
    }
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut write = |a: usize, b: usize, d: u32| {
        let (x, y) = if ids[a] < ids[b] { (a, b) } else { (b, a) };
        out.write_all(ids[x]).unwrap();
        out.write_all(b"\t").unwrap();
        out.write_all(ids[y]).unwrap();
        writeln!(out, "\t{d}").unwrap();
    };
    if blocks == 0 {
        let mut joiner = ChunkedJoiner::<u32>::new(2);
        for &f in &fps {
            joiner.add([(f >> 32) as u32, f as u32]).unwrap();
        }
        for (a, b, d) in joiner.similar_pairs(k as f64 / 64. + 1e-9) {
            write(a, b, (d * 64.).round() as u32);
        }
        return;
    }
    let mut found = hashbrown::HashSet::new();
    MultiSort::new().num_blocks(blocks).similar_pairs(&fps, k, &mut found);
    for &(a, b) in &found {
        write(a, b, (fps[a] ^ fps[b]).count_ones());
    }
}
