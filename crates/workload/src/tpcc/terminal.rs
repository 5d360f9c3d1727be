//! What a terminal draws its inputs from: its place, and the distributions of the run.

use random::{Purpose, Stream};

use super::choices::Home;
use super::constants::Skewed;
use super::options::TpccOptions;
use super::population::put_last_name;
use super::scale::DISTRICTS;

/// One terminal's place and its random numbers.
#[derive(Clone, Debug)]
pub(super) struct Terminal {
    pub stream: Stream,
    pub skewed: Skewed,
    /// The warehouses that there are.
    pub warehouses: u64,
    homes: (u64, u64),
    is_fixed: bool,
    /// The home warehouse and the district of a fixed terminal.
    warehouse: u64,
    district: u64,
}

impl Terminal {
    /// Terminal number `index`. Ten of them, one a district, share each warehouse where there are
    /// so many (clause 4.2.2); further ones begin at the first warehouse again.
    pub fn new(options: &TpccOptions, seed: u64, index: u64, terminals: u64) -> Self {
        let homes = options.homes();
        let count = homes.1 - homes.0 + 1;
        // Few terminals are spread over all homes; many fill warehouse by warehouse, evenly.
        let (warehouse, district) = if terminals <= count {
            (index * count / terminals, index % DISTRICTS)
        } else {
            (index % count, index / count % DISTRICTS)
        };
        Self {
            stream: Stream::new(seed, Purpose::Inputs, index),
            skewed: Skewed::new(seed, options.c_last_load),
            warehouses: options.warehouses,
            homes,
            is_fixed: options.home_warehouse == Home::Fixed,
            warehouse: homes.0 + warehouse,
            district: district + 1,
        }
    }

    /// The home warehouse of the next transaction.
    pub fn home(&mut self) -> i64 {
        let home = if self.is_fixed {
            self.warehouse
        } else {
            self.stream.between(self.homes.0, self.homes.1)
        };
        home.cast_signed()
    }

    /// The district of a Stock-Level, which stays the same for a terminal at home (clause 2.8.1.1).
    pub fn own_district(&mut self) -> i64 {
        if self.is_fixed { self.district.cast_signed() } else { self.any_district() }
    }

    /// Any district.
    pub fn any_district(&mut self) -> i64 {
        self.stream.between(1, DISTRICTS).cast_signed()
    }

    /// Any warehouse but this one; this one where there is no other.
    pub fn other_warehouse(&mut self, home: i64) -> i64 {
        if self.warehouses == 1 {
            return home;
        }
        let other = self.stream.between(1, self.warehouses - 1).cast_signed();
        if other < home { other } else { other + 1 }
    }

    /// Whether something happens that does in so many percent of all cases.
    pub fn in_percent(&mut self, percent: u64) -> bool {
        self.stream.below(100) < percent
    }

    /// A customer's number.
    pub fn customer(&mut self) -> i64 {
        self.skewed.customer.draw(&mut self.stream).cast_signed()
    }

    /// An item's number.
    pub fn item(&mut self) -> i64 {
        self.skewed.item.draw(&mut self.stream).cast_signed()
    }

    /// A last name.
    pub fn put_last_name(&mut self, name: &mut String) {
        put_last_name(name, self.skewed.last_name.draw(&mut self.stream));
    }

    /// A customer by last name in 60 % of all cases, else by number (clauses 2.5.1.2, 2.6.1.2).
    pub fn put_customer(&mut self, who: &mut super::transactions::Who) {
        who.by_name = self.in_percent(60);
        if who.by_name {
            self.put_last_name(&mut who.last_name);
        } else {
            who.id = self.customer();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::options;
    use super::*;

    #[test]
    fn terminals_are_spread_over_all_homes_and_their_districts() {
        let homes = |warehouses, terminals: u64| -> Vec<(i64, i64)> {
            let options = options(warehouses);
            (0..terminals)
                .map(|index| {
                    let mut terminal = Terminal::new(&options, 1, index, terminals);
                    (terminal.home(), terminal.own_district())
                })
                .collect()
        };
        assert_eq!(homes(8, 4).iter().map(|home| home.0).collect::<Vec<_>>(), [1, 3, 5, 7]);
        let mut all = homes(2, 20);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 20, "ten terminals a warehouse, one a district");
    }

    #[test]
    fn the_other_warehouse_is_never_home_and_each_of_the_others() {
        let mut terminal = Terminal::new(&options(5), 1, 0, 1);
        for home in 1..=5 {
            let drawn: std::collections::BTreeSet<i64> =
                (0..1000).map(|_| terminal.other_warehouse(home)).collect();
            assert!(drawn.into_iter().eq((1..=5).filter(|warehouse| *warehouse != home)));
        }
        assert_eq!(Terminal::new(&options(1), 1, 0, 1).other_warehouse(1), 1);
    }

    #[test]
    fn random_homes_stay_in_their_range() {
        let mut options = options(10);
        options.home_warehouse = Home::Random;
        options.home_range = Some([4, 6]);
        let mut terminal = Terminal::new(&options, 1, 0, 1);
        let homes: std::collections::BTreeSet<i64> = (0..300).map(|_| terminal.home()).collect();
        assert!(homes.into_iter().eq(4..=6));
    }
}
