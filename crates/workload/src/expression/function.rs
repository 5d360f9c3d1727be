//! The functions and operators, by name.

/// What is computed of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Not,
    Is,
    Abs,
    Debug,
    Double,
    Exp,
    Greatest,
    HashFnv1a,
    HashMurmur2,
    Int,
    Least,
    Ln,
    Permute,
    Pi,
    Power,
    Random,
    RandomExponential,
    RandomGaussian,
    RandomZipfian,
    Sqrt,
}

/// The most arguments that a function takes.
pub(super) const MOST_ARGUMENTS: usize = 16;

/// Functions by name, with the fewest and the most arguments.
const FUNCTIONS: [(&str, Function, usize, usize); 21] = [
    ("abs", Function::Abs, 1, 1),
    ("debug", Function::Debug, 1, 1),
    ("double", Function::Double, 1, 1),
    ("exp", Function::Exp, 1, 1),
    ("greatest", Function::Greatest, 1, MOST_ARGUMENTS),
    ("hash", Function::HashMurmur2, 1, 2),
    ("hash_fnv1a", Function::HashFnv1a, 1, 2),
    ("hash_murmur2", Function::HashMurmur2, 1, 2),
    ("int", Function::Int, 1, 1),
    ("least", Function::Least, 1, MOST_ARGUMENTS),
    ("ln", Function::Ln, 1, 1),
    ("mod", Function::Modulo, 2, 2),
    ("permute", Function::Permute, 2, 3),
    ("pi", Function::Pi, 0, 0),
    ("pow", Function::Power, 2, 2),
    ("power", Function::Power, 2, 2),
    ("random", Function::Random, 2, 2),
    ("random_exponential", Function::RandomExponential, 3, 3),
    ("random_gaussian", Function::RandomGaussian, 3, 3),
    ("random_zipfian", Function::RandomZipfian, 3, 3),
    ("sqrt", Function::Sqrt, 1, 1),
];

impl Function {
    /// The function of a name that can take so many arguments; the error says what would be right.
    pub fn find(name: &str, arguments: usize) -> Result<Self, String> {
        let Some((_, function, fewest, most)) = FUNCTIONS.iter().find(|(known, ..)| *known == name)
        else {
            let names: Vec<&str> = FUNCTIONS.iter().map(|(known, ..)| *known).collect();
            return Err(format!("unknown function {name:?}; known: {}", names.join(", ")));
        };
        if (*fewest..=*most).contains(&arguments) {
            return Ok(*function);
        }
        let wanted = if fewest == most { most.to_string() } else { format!("{fewest} to {most}") };
        Err(format!("{name} takes {wanted} arguments, not {arguments}"))
    }

    /// Whether its last argument, where it is left out, is the seed of all such calls.
    pub fn default_seed_position(self) -> Option<usize> {
        match self {
            Self::HashFnv1a | Self::HashMurmur2 => Some(1),
            Self::Permute => Some(2),
            _ => None,
        }
    }
}
