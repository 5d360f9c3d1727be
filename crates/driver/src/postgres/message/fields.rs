//! Reading fields out of a message whose contents nobody vouches for.

use super::Malformed;

/// What is left of a message.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a>(pub &'a [u8]);

const TRUNCATED: Malformed = Malformed("a message ends in the middle of a field");

impl<'a> Fields<'a> {
    #[inline]
    pub fn bytes(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(TRUNCATED)?;
        self.0 = rest;
        Ok(taken)
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
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
        self.array().map(u16::from_be_bytes)
    }

    #[inline]
    pub fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_be_bytes)
    }

    /// A string up to its zero byte.
    #[inline]
    pub fn string(&mut self) -> Result<&'a [u8], Malformed> {
        let end = self.0.iter().position(|byte| *byte == 0).ok_or(TRUNCATED)?;
        let taken = self.bytes(end)?;
        self.u8()?;
        Ok(taken)
    }

    /// A value with its length before it; None for NULL, whose length is -1.
    #[inline]
    pub fn value(&mut self) -> Result<Option<&'a [u8]>, Malformed> {
        match self.u32()? {
            u32::MAX => Ok(None),
            length => self.bytes(usize::try_from(length).map_err(|_| TRUNCATED)?).map(Some),
        }
    }
}
