//! The declaration of a model's attributes, from which its struct, its reading and its tables come.

use crate::declaration::{Group, Member};
use crate::leaf::shown;
use crate::problem::{Errors, did_you_mean};
use serde_json::{Map, Value};

/// A tree of attributes, made by [`attributes!`](crate::attributes).
pub trait Attributes: Default {
    /// The members in documented order.
    fn members() -> Vec<Member>;

    /// What the attributes belong to.
    fn text() -> String;

    /// Reads an object over the values already there, collecting what is wrong with it.
    fn read(&mut self, value: &Value, path: &str, errors: &mut Errors);

    /// All attributes as full leaves: type, value, unit, default, description, range.
    fn to_leaves(&self) -> Value;

    /// Reads an object; what it leaves out takes the published default.
    fn from_json(value: &Value, path: &str, errors: &mut Errors) -> Self {
        let mut attributes = Self::default();
        attributes.read(value, path, errors);
        attributes
    }

    /// The whole declaration.
    fn declaration() -> Group {
        Group {
            name: "",
            text: Self::text(),
            members: Self::members(),
        }
    }
}

/// A group as a member of another.
#[doc(hidden)]
pub struct GroupSpec<T> {
    name: &'static str,
    text: &'static str,
    marker: std::marker::PhantomData<T>,
}

impl<T: Attributes> GroupSpec<T> {
    /// The group called `name`.
    pub fn new(name: &'static str, text: &'static str) -> Self {
        GroupSpec {
            name,
            text,
            marker: std::marker::PhantomData,
        }
    }

    /// All published defaults.
    pub fn default(self) -> T {
        T::default()
    }

    /// The untyped description.
    pub fn member(self) -> Member {
        Member::Group(Group {
            name: self.name,
            text: self.text.trim().to_owned(),
            members: T::members(),
        })
    }

    /// Reads the group's object.
    pub fn read(self, place: &mut T, value: &Value, path: &str, errors: &mut Errors) {
        place.read(value, path, errors);
    }

    /// The group's full leaves.
    pub fn leaves(self, value: &T) -> Value {
        value.to_leaves()
    }
}

/// `value` as the object of a group, or a problem.
#[doc(hidden)]
pub fn object_of<'a>(value: &'a Value, path: &str, errors: &mut Errors) -> Option<&'a Map<String, Value>> {
    let object = value.as_object();
    if object.is_none() {
        errors.push(
            path,
            format!("{} is not a group of attributes", shown(value)),
            "give an object: { ... }",
        );
    }
    object
}

/// Reports keys that are not among `known`.
#[doc(hidden)]
pub fn check_keys(object: &Map<String, Value>, known: &[&'static str], path: &str, errors: &mut Errors) {
    for key in object.keys().filter(|key| !known.contains(&key.as_str())) {
        let remedy = did_you_mean(key, known.iter().copied());
        errors.push(crate::problem::join(path, key), "is not known here", remedy);
    }
}

/// Declares the attributes of a model.
///
/// Each attribute is its description, a field, its documented name, a type and the published default, followed by
/// what limits it: `min(..)`, `above(..)`, `max(..)` (for a list: of each entry), `readonly()`, `unit(..)` to write
/// it in, `kind(..)` for `bytes`. A member without a default is a group: another struct of this macro.
///
/// ```
/// use packetloom_params::{Attributes, Errors};
///
/// packetloom_params::attributes! {
///     /// The physical layer of a host link.
///     pub struct PhysicalLayer {
///         /// How many lanes the link has.
///         lane_count "LaneCount": u64 = 16, min(1), max(16);
///     }
///     /// A host link.
///     pub struct HostLink {
///         /// The physical layer.
///         physical_layer "PhysicalLayer": PhysicalLayer;
///     }
/// }
///
/// let mut errors = Errors::new();
/// let given = serde_json::json!({ "PhysicalLayer": { "LaneCount": 17 } });
/// HostLink::from_json(&given, "link", &mut errors);
/// assert_eq!(errors.to_string(), "link.PhysicalLayer.LaneCount: 17 is out of range; give 1 to 16");
/// assert_eq!(HostLink::default().physical_layer.lane_count, 16);
/// ```
#[macro_export]
macro_rules! attributes {
    ($(
        $(#[doc = $text:literal])+
        $vis:vis struct $Name:ident {
            $(
                $(#[doc = $doc:literal])+
                $field:ident $name:literal : $ty:ty $(= $default:expr $(, $limit:ident($($bound:expr)?))*)? ;
            )*
        }
    )+) => { $(
        $(#[doc = $text])+
        #[derive(
            Clone, Debug, PartialEq,
            $crate::internal::serde::Serialize, $crate::internal::serde::Deserialize,
        )]
        #[serde(crate = "packetloom_params::internal::serde", deny_unknown_fields)]
        $vis struct $Name {
            $( $(#[doc = $doc])+ pub $field: $ty, )*
        }

        impl Default for $Name {
            fn default() -> Self {
                $Name {
                    $( $field: $crate::attribute_spec!(
                        $ty, $name, concat!($($doc),+) $(, $default $(, $limit($($bound)?))*)?
                    ).default(), )*
                }
            }
        }

        impl $crate::Attributes for $Name {
            fn members() -> Vec<$crate::Member> {
                vec![ $(
                    $crate::attribute_spec!(
                        $ty, $name, concat!($($doc),+) $(, $default $(, $limit($($bound)?))*)?
                    ).member(),
                )* ]
            }

            fn text() -> String {
                concat!($($text),+).trim().to_owned()
            }

            fn read(
                &mut self,
                value: &$crate::internal::serde_json::Value,
                path: &str,
                errors: &mut $crate::Errors,
            ) {
                let Some(object) = $crate::internal::object_of(value, path, errors) else { return };
                $crate::internal::check_keys(object, &[$($name),*], path, errors);
                $(
                    if let Some(value) = object.get($name) {
                        let path = $crate::problem::join(path, $name);
                        $crate::attribute_spec!(
                            $ty, $name, concat!($($doc),+) $(, $default $(, $limit($($bound)?))*)?
                        ).read(&mut self.$field, value, &path, errors);
                    }
                )*
            }

            fn to_leaves(&self) -> $crate::internal::serde_json::Value {
                #[allow(unused_mut)]
                let mut object = $crate::internal::serde_json::Map::new();
                $(
                    let leaves = $crate::attribute_spec!(
                        $ty, $name, concat!($($doc),+) $(, $default $(, $limit($($bound)?))*)?
                    ).leaves(&self.$field);
                    object.insert($name.to_owned(), leaves);
                )*
                object.into()
            }
        }
    )+ };
}

/// The description of one member; part of [`attributes!`].
#[doc(hidden)]
#[macro_export]
macro_rules! attribute_spec {
    ($ty:ty, $name:literal, $doc:expr) => {
        $crate::internal::GroupSpec::<$ty>::new($name, $doc)
    };
    ($ty:ty, $name:literal, $doc:expr, $default:expr $(, $limit:ident($($bound:expr)?))*) => {
        $crate::internal::Spec::<$ty>::new($name, $doc, $default)$(.$limit($($bound)?))*
    };
}
