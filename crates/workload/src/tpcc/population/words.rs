//! Consecutive words of a real text, so that data compress as data do.
//!
//! Each chunk of rows reads from a place of its own, about where the chunk before it ends: the text
//! is used from its beginning to its end and then again, whoever loads which chunk.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

/// Bytes that are read at once.
const BLOCK_BYTES: usize = 64 * 1024;

/// A text, open for reading.
#[derive(Clone, Debug)]
pub(in crate::tpcc) struct TextFile {
    file: Arc<File>,
    bytes: u64,
    is_ascii: bool,
    /// Of its bytes, by FNV-1a (Fowler, Noll, Vo).
    hash: u64,
}

impl TextFile {
    /// Opens a file; an error where it has no words.
    pub fn open(path: &str) -> Result<Self, String> {
        let refuse = |error: &dyn std::fmt::Display| format!("can't be read: {error}");
        let file = File::open(Path::new(path)).map_err(|error| refuse(&error))?;
        let bytes = file.metadata().map_err(|error| refuse(&error))?.len();
        let file = Arc::new(file);
        let mut text = Self { file, bytes, is_ascii: true, hash: 0xcbf2_9ce4_8422_2325 };
        if text.survey().map_err(|error| refuse(&error))? {
            return Ok(text);
        }
        Err("has no words in it".into())
    }

    /// What tells it from other texts, wherever they lie.
    pub fn fingerprint(&self) -> String {
        format!("{:016x}", self.hash)
    }

    /// Whether every character is ASCII.
    pub fn is_ascii(&self) -> bool {
        self.is_ascii
    }

    /// The words from the first that begins behind this byte; beyond the end, from the start.
    pub fn words_from(&self, byte: u64) -> WordReader {
        let at = byte % self.bytes;
        let mut reader =
            WordReader { text: self.clone(), at, block: Vec::new(), next: 0, word: String::new() };
        if at > 0 {
            reader.skip_broken_word();
        }
        reader
    }

    /// Reads all of it: finds out whether there are words, and what they are like.
    fn survey(&mut self) -> io::Result<bool> {
        let mut has_words = false;
        let mut block = vec![0; BLOCK_BYTES];
        let mut at = 0;
        loop {
            let read = self.file.read_at(&mut block, at)?;
            if read == 0 {
                return Ok(has_words);
            }
            has_words |= block[..read].iter().any(|byte| !is_between_words(*byte));
            self.is_ascii &= block[..read].is_ascii();
            for byte in &block[..read] {
                self.hash = (self.hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
            at += read as u64;
        }
    }
}

/// Reads words one after another, from the start again after the last.
#[derive(Debug)]
pub(in crate::tpcc) struct WordReader {
    text: TextFile,
    /// Where the block ends in the file.
    at: u64,
    block: Vec<u8>,
    next: usize,
    /// The word that comes next, if it did not fit where it was wanted; else empty.
    word: String,
}

impl WordReader {
    /// Writes words with a blank between them: as many as fit into `length` characters; where that
    /// is fewer than `shortest`, a part of the next.
    pub fn put(&mut self, out: &mut String, shortest: u64, length: u64) {
        let (shortest, length) = (to_index(shortest), to_index(length));
        let mut characters = 0;
        while characters < length {
            self.take_word();
            if self.word.is_empty() {
                return;
            }
            // No blank at the end, where it would be all that there is room for.
            let blank = usize::from(characters > 0 && characters + 1 < length);
            let letters = self.word.chars().count();
            let fits = characters + blank + letters <= length;
            if !fits && characters >= shortest {
                return;
            }
            if blank == 1 {
                out.push(' ');
            }
            let room = length - characters - blank;
            out.extend(self.word.chars().take(room));
            characters += blank + letters.min(room);
            self.word.clear();
            if characters + 1 >= length && characters >= shortest {
                return;
            }
        }
    }

    /// Reads the next word, unless there is one left. What is no UTF-8 becomes the replacement
    /// character.
    fn take_word(&mut self) {
        if !self.word.is_empty() {
            return;
        }
        while let Some(byte) = self.byte()
            && is_between_words(byte)
        {
            self.next += 1;
        }
        let mut bytes = Vec::new();
        while let Some(byte) = self.byte()
            && !is_between_words(byte)
            && bytes.len() < BLOCK_BYTES
        {
            bytes.push(byte);
            self.next += 1;
        }
        self.word.push_str(&String::from_utf8_lossy(&bytes));
    }

    fn skip_broken_word(&mut self) {
        while let Some(byte) = self.byte()
            && !is_between_words(byte)
        {
            self.next += 1;
        }
    }

    /// The byte that comes next, whatever it takes to read it.
    fn byte(&mut self) -> Option<u8> {
        if self.next == self.block.len() {
            self.next = 0;
            if self.at >= self.text.bytes {
                // The last word ends here, although nothing may stand behind it.
                (self.at, self.block) = (0, vec![b'\n']);
            } else {
                self.block.resize(BLOCK_BYTES.min(to_index(self.text.bytes)), 0);
                // A file that can't be read any more gives no words: texts are empty, and the load
                // goes on.
                let read = self.text.file.read_at(&mut self.block, self.at).unwrap_or(0);
                self.block.truncate(read);
                self.at += read as u64;
            }
        }
        self.block.get(self.next).copied()
    }
}

/// White space; and NUL, which no server takes.
fn is_between_words(byte: u8) -> bool {
    byte == 0 || byte.is_ascii_whitespace()
}

fn to_index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
