//! The one way to declare a record.

/// Declares a record: from it come the [`Schema`](super::Schema) with header, types and documentation, the struct of
/// one row, and the code that writes it. A row is a struct literal, so no column can be missed or swapped.
///
/// `stamps` are the leading columns that are the same for all rows or come from the clock; the sink fills them.
macro_rules! record {
    (
        $variant:ident, $row:ident $(<$life:lifetime>)?, $name:literal,
        about $about:literal,
        stamps [$($stamp:ident),*],
        $($column:ident: $type:ty, $unit:literal, $description:literal;)+
    ) => {
        #[doc = $about]
        // Columns carry the documented spelling, units and all.
        #[allow(non_snake_case)]
        #[derive(Clone, Copy, Debug)]
        pub struct $row $(<$life>)? {
            $(#[doc = $description] pub $column: $type,)+
        }

        impl $(<$life>)? $crate::schema::Row for $row $(<$life>)? {
            const RECORD: $crate::schema::Record = $crate::schema::Record::$variant;
            const SCHEMA: &'static $crate::schema::Schema = &$crate::schema::Schema {
                name: $name,
                about: $about,
                columns: &[
                    $($crate::schema::stamp_column!($stamp),)*
                    $($crate::schema::Column {
                        name: stringify!($column),
                        column_type: <$type as $crate::cell::Cell>::TYPE,
                        unit: $unit,
                        description: $description,
                    },)+
                ],
            };

            #[inline]
            fn put(&self, stamps: &$crate::schema::Stamps, out: &mut Vec<u8>) {
                $(
                    out.extend_from_slice(stamps.$stamp.as_bytes());
                    out.push(b',');
                )*
                // A record may have no stamps at all.
                let _ = stamps;
                $(
                    $crate::cell::Cell::put(&self.$column, out);
                    out.push(b',');
                )+
                // Every record has columns, so the last byte is a comma: it becomes the row's end.
                let last = out.len() - 1;
                out[last] = b'\n';
            }
        }
    };
}

/// The column of a stamp.
macro_rules! stamp_column {
    (job_id) => {
        $crate::schema::Column {
            name: "job_id",
            column_type: $crate::cell::ColumnType::Text,
            unit: "",
            description: "Name of the simulation",
        }
    };
    (time_utc) => {
        $crate::schema::Column {
            name: "time_utc",
            column_type: $crate::cell::ColumnType::Text,
            unit: "ISO 8601",
            description: "Wall-clock time at which the row was written, to the second; the instant of \
                          `SOURCE_DATE_EPOCH` when that variable is set",
        }
    };
}

pub(crate) use {record, stamp_column};
