//! Tables aligned for reading.

use std::fmt;

/// A table of text: the first column to the left, numbers to the right.
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

struct Column {
    heading: &'static str,
    right: bool,
}

impl Table {
    /// A table with these headings; one that starts with `>` is of a column aligned to the right.
    pub fn new(headings: &[&'static str]) -> Self {
        let columns = headings.iter().map(|heading| match heading.strip_prefix('>') {
            Some(heading) => Column { heading, right: true },
            None => Column {
                heading,
                right: false,
            },
        });
        Table {
            columns: columns.collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row, one cell a column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells: Vec<String> = cells.into_iter().collect();
        debug_assert_eq!(cells.len(), self.columns.len());
        self.rows.push(cells);
    }

    /// The table without the column of that heading if all its cells are `-`.
    pub fn without_unknown(mut self, heading: &str) -> Self {
        let place = self.columns.iter().position(|column| column.heading == heading);
        if let Some(place) = place.filter(|&place| self.rows.iter().all(|row| row[place] == "-")) {
            self.columns.remove(place);
            for row in &mut self.rows {
                row.remove(place);
            }
        }
        self
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headings: Vec<String> = self.columns.iter().map(|c| c.heading.to_owned()).collect();
        let lines = || std::iter::once(&headings).chain(&self.rows);
        let width = |at: usize| lines().map(|cells| cells[at].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        for cells in lines() {
            let mut line = String::new();
            for ((cell, column), &width) in cells.iter().zip(&self.columns).zip(&widths) {
                if !line.is_empty() {
                    line.push_str("  ");
                }
                line += &if column.right {
                    format!("{cell:>width$}")
                } else {
                    format!("{cell:<width$}")
                };
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&["Link", ">Ports", "Busiest"]);
        table.row(["rack up".to_owned(), "8".to_owned(), "a".to_owned()]);
        table.row(["nic".to_owned(), "1,024".to_owned(), String::new()]);
        assert_eq!(
            table.to_string(),
            "Link     Ports  Busiest\nrack up      8  a\nnic      1,024\n"
        );
    }

    #[test]
    fn a_column_of_which_nothing_is_known_can_be_left_out() {
        let table = |known: &str| {
            let mut table = Table::new(&["Link", ">Rate", ">Ports"]);
            table.row(["up".to_owned(), "-".to_owned(), "8".to_owned()]);
            table.row(["down".to_owned(), known.to_owned(), "-".to_owned()]);
            table.without_unknown("Rate").without_unknown("Ports")
        };
        assert_eq!(table("-").to_string(), "Link  Ports\nup        8\ndown      -\n");
        assert_eq!(
            table("5").to_string(),
            "Link  Rate  Ports\nup       -      8\ndown     5      -\n"
        );
    }
}
