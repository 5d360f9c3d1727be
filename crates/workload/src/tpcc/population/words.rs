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
}

impl TextFile {
    /// Opens a file; an error where it has no words.
    pub fn open(path: &str) -> Result<Self, String> {
        let refuse = |error: &dyn std::fmt::Display| format!("can't be read: {error}");
        let file = File::open(Path::new(path)).map_err(|error| refuse(&error))?;
        let bytes = file.metadata().map_err(|error| refuse(&error))?.len();
        let file = Arc::new(file);
        let mut text = Self { file, bytes, is_ascii: true };
        let (has_words, is_ascii) = text.survey().map_err(|error| refuse(&error))?;
        if !has_words {
            return Err("has no words in it".into());
        }
        text.is_ascii = is_ascii;
        Ok(text)
    }

    /// Whether every character is ASCII.
    pub fn is_ascii(&self) -> bool {
        self.is_ascii
    }

    /// The words from the one that begins at this byte or after it; beyond the end, from the start.
    pub fn words_from(&self, byte: u64) -> WordReader {
        let mut reader =
            WordReader { text: self.clone(), at: byte % self.bytes, block: Vec::new(), next: 0 };
        if reader.at > 0 {
            reader.skip_broken_word();
        }
        reader
    }

    /// Whether there are words, and whether all is ASCII.
    fn survey(&self) -> io::Result<(bool, bool)> {
        let (mut has_words, mut is_ascii) = (false, true);
        let mut block = vec![0; BLOCK_BYTES];
        let mut at = 0;
        loop {
            let read = self.file.read_at(&mut block, at)?;
            if read == 0 {
                return Ok((has_words, is_ascii));
            }
            has_words |= block[..read].iter().any(|byte| !byte.is_ascii_whitespace());
            is_ascii &= block[..read].is_ascii();
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
}

impl WordReader {
    /// Writes words with a blank between them: as many as fit into `length` characters; where that
    /// is fewer than `shortest`, a part of the next.
    pub fn put(&mut self, out: &mut String, shortest: u64, length: u64) {
        let (shortest, length) = (to_index(shortest), to_index(length));
        let mut characters = 0;
        let mut word = String::new();
        while characters < length {
            word.clear();
            let start = (self.at, self.next);
            self.take_word(&mut word);
            if word.is_empty() {
                return;
            }
            let blank = usize::from(characters > 0);
            let fits = characters + blank + word.chars().count() <= length;
            if !fits && characters >= shortest {
                self.put_back(start);
                return;
            }
            if blank == 1 {
                out.push(' ');
            }
            let room = length - characters - blank;
            out.extend(word.chars().take(room));
            characters += blank + word.chars().count().min(room);
            if characters + 1 >= length && characters >= shortest {
                return;
            }
        }
    }

    fn take_word(&mut self, word: &mut String) {
        while let Some(byte) = self.byte()
            && byte.is_ascii_whitespace()
        {
            self.next += 1;
        }
        let mut bytes = Vec::new();
        while let Some(byte) = self.byte()
            && !byte.is_ascii_whitespace()
            && bytes.len() < BLOCK_BYTES
        {
            bytes.push(byte);
            self.next += 1;
        }
        // What is no UTF-8 becomes the replacement character; NUL no server takes.
        word.extend(String::from_utf8_lossy(&bytes).chars().filter(|letter| *letter != '\0'));
    }

    /// The next word will be the same again, if it is still in the block.
    fn put_back(&mut self, (at, next): (u64, usize)) {
        if at == self.at {
            self.next = next;
        }
    }

    fn skip_broken_word(&mut self) {
        while let Some(byte) = self.byte()
            && !byte.is_ascii_whitespace()
        {
            self.next += 1;
        }
    }

    /// The byte that comes next, whatever it takes to read it.
    fn byte(&mut self) -> Option<u8> {
        if self.next == self.block.len() {
            if self.at >= self.text.bytes {
                self.at = 0;
            }
            self.block.resize(BLOCK_BYTES, 0);
            // A file that can't be read any more gives no words: texts are empty, and the load goes on.
            let read = self.text.file.read_at(&mut self.block, self.at).unwrap_or(0);
            self.block.truncate(read);
            self.at += read as u64;
            self.next = 0;
        }
        self.block.get(self.next).copied()
    }
}

fn to_index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
