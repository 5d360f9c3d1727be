//! The variables' values as a statement's parameters.

use contract::{SqlError, Value};

use super::datum::Datum;
use super::failure::unset;
use super::program::{Script, Slot};

/// Parameters of one statement that need no memory of their own.
const FEW: usize = 16;

/// Room for the parameters of a statement.
#[derive(Default)]
pub(super) struct Parameters<'a> {
    few: [Value<'a>; FEW],
    many: Vec<Value<'a>>,
}

impl<'a> Parameters<'a> {
    /// The values of these variables.
    #[inline]
    pub fn of(
        &mut self,
        script: &Script,
        variables: &'a [Datum],
        slots: &[Slot],
    ) -> Result<&[Value<'a>], SqlError> {
        let parameters = if slots.len() <= FEW {
            &mut self.few[..slots.len()]
        } else {
            self.many.resize(slots.len(), Value::Null);
            &mut self.many[..]
        };
        for (parameter, slot) in parameters.iter_mut().zip(slots) {
            let datum = &variables[*slot];
            *parameter = datum.parameter().ok_or_else(|| unset(&script.variables[*slot].0))?;
        }
        Ok(parameters)
    }
}
