//! Reading fields out of a packet whose contents nobody vouches for.

use super::Malformed;

/// What is left of a packet.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a>(pub &'a [u8]);

const TRUNCATED: Malformed = Malformed("a packet ends in the middle of a field");

impl<'a> Fields<'a> {
    #[inline]
    pub fn bytes(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(TRUNCATED)?;
        self.0 = rest;
        Ok(taken)
    }

    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (taken, rest) = self.0.split_first_chunk::<N>().ok_or(TRUNCATED)?;
        self.0 = rest;
        Ok(*taken)
    }

    #[inline]
    pub fn u8(&mut self) -> Result<u8, Malformed> {
        self.array::<1>().map(|[byte]| byte)
    }

    #[inline]
    pub fn u16(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_le_bytes)
    }

    #[inline]
    pub fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_le_bytes)
    }

    /// A length-encoded integer.
    #[inline]
    pub fn length(&mut self) -> Result<u64, Malformed> {
        match self.u8()? {
            0xfc => self.u16().map(u64::from),
            0xfd => self.array::<3>().map(|[a, b, c]| u64::from(u32::from_le_bytes([a, b, c, 0]))),
            0xfe => self.array().map(u64::from_le_bytes),
            0xfb | 0xff => Err(Malformed("a length is not a number")),
            small => Ok(u64::from(small)),
        }
    }

    /// A string with its length before it.
    #[inline]
    pub fn string(&mut self) -> Result<&'a [u8], Malformed> {
        let length = self.length()?;
        self.bytes(usize::try_from(length).map_err(|_| TRUNCATED)?)
    }

    /// The same, or the mark for NULL.
    #[inline]
    pub fn nullable_string(&mut self) -> Result<Option<&'a [u8]>, Malformed> {
        if self.0.first() == Some(&0xfb) {
            self.0 = &self.0[1..];
            return Ok(None);
        }
        self.string().map(Some)
    }
}

/// Appends a length-encoded integer.
#[inline]
pub(crate) fn put_length(buffer: &mut Vec<u8>, length: usize) {
    let bytes = (length as u64).to_le_bytes();
    match length {
        0..=0xfa => buffer.push(bytes[0]),
        0xfb..=0xffff => {
            buffer.push(0xfc);
            buffer.extend_from_slice(&bytes[..2]);
        }
        0x1_0000..=0xff_ffff => {
            buffer.push(0xfd);
            buffer.extend_from_slice(&bytes[..3]);
        }
        _ => {
            buffer.push(0xfe);
            buffer.extend_from_slice(&bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_come_back_as_they_were_put() {
        for length in [0, 1, 0xfa, 0xfb, 0xff, 0xffff, 0x1_0000, 0xff_ffff, 0x100_0000] {
            let mut buffer = Vec::new();
            put_length(&mut buffer, length);
            let mut fields = Fields(&buffer);
            assert_eq!(fields.length().unwrap(), length as u64);
            assert!(fields.0.is_empty());
            for end in 0..buffer.len() {
                assert!(Fields(&buffer[..end]).length().is_err());
            }
        }
    }
}
