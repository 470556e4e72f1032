//! Topologies of the cluster tag other than FLAT: what their parameters say, and the links they make.

use super::build::{MOST_HOSTS, MOST_LINKS};
use super::cluster::Cluster;
use super::read::Reader;
use crate::error::{Error, show};
use crate::link::LinkId;
use crate::routing::dragonfly::Counts;
use crate::routing::fat_tree::Shape;
use crate::routing::torus::TorusNode;
use crate::routing::{Dragonfly, FatTree, Routing, Torus};

/// How parameters are written.
const TORUS: &str = "write the number of nodes along each dimension: 4,4,2";
const FAT_TREE: &str = "write levels;children;parents;cables, the latter three for each level: 2;4,4;1,2;1,2";
const DRAGONFLY: &str = "write groups,links;chassis,links;blades,links;nodes: 3,4;3,2;3,1;2";

/// Most levels of a fat tree.
const MOST_LEVELS: usize = 16;

/// The error for parameters that are none.
fn wrong(cluster: &Cluster<'_>, why: impl Into<String>, remedy: &str) -> Error {
    cluster.element.wrong_value("topo_parameters", why, remedy)
}

/// Numbers above 0 between commas.
fn numbers(cluster: &Cluster<'_>, text: &str, remedy: &str) -> Result<Vec<u32>, Error> {
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|number| *number > 0);
    let numbers: Option<Vec<u32>> = text.split(',').map(number).collect();
    numbers.ok_or_else(|| wrong(cluster, format!("{} are no numbers above 0", show(text)), remedy))
}

/// Refuses a topology with another number of nodes than the cluster has, or with too many links.
fn check_size(
    cluster: &Cluster<'_>,
    nodes: Option<u32>,
    links: Option<usize>,
    remedy: &str,
) -> Result<(), Error> {
    let have = cluster.numbers.len();
    match nodes.map(|nodes| nodes as usize) {
        Some(nodes) if nodes == have => {}
        Some(nodes) if nodes <= MOST_HOSTS => {
            let message = format!("the topology has {nodes} nodes, \"radical\" {have}");
            return Err(wrong(cluster, message, "make them equal"));
        }
        _ => return Err(wrong(cluster, format!("more than {MOST_HOSTS} nodes"), remedy)),
    }
    match links {
        Some(links) if links <= MOST_LINKS => Ok(()),
        _ => Err(wrong(cluster, format!("more than {MOST_LINKS} links"), remedy)),
    }
}

/// By host of the cluster what `make` makes.
fn each<'a>(
    reader: &mut Reader<'a>,
    cluster: &Cluster<'a>,
    make: impl Fn(&mut Reader<'a>, u32, u32) -> Result<Option<LinkId>, Error>,
) -> Result<Vec<Option<LinkId>>, Error> {
    let hosts = (0..).zip(&cluster.numbers);
    hosts.map(|(slot, number)| make(reader, slot, *number)).collect()
}

/// A torus: each node is connected with the next along each dimension.
pub(super) fn torus<'a>(reader: &mut Reader<'a>, cluster: &Cluster<'a>) -> Result<Routing, Error> {
    let text = cluster.element.required("topo_parameters")?;
    let dimensions = numbers(cluster, text, TORUS)?;
    let nodes = dimensions.iter().copied().try_fold(1, u32::checked_mul);
    let links = nodes.and_then(|nodes| (nodes as usize).checked_mul(dimensions.len()));
    check_size(cluster, nodes, links, TORUS)?;
    let mut torus = Torus {
        dimensions: dimensions.into(),
        nodes: Vec::new(),
    };
    for (node, number) in (0..).zip(&cluster.numbers) {
        let loopback = reader.loopback(cluster, *number)?;
        let limiter = reader.limiter(cluster, node)?;
        let mut next = Vec::new();
        for dimension in 0..torus.dimensions.len() {
            let other = torus.next(node, dimension);
            let mut name = format!("{}_link_from_{node}_to_{other}", cluster.id);
            // Along dimensions of one node, each connected with itself, names would come twice.
            if (0..dimension).any(|before| torus.next(node, before) == other) {
                name += &format!("_{dimension}");
            }
            next.push(reader.cable(cluster, name, 1.0)?);
        }
        torus.nodes.push(TorusNode {
            next: next.into(),
            limiter,
            loopback,
        });
    }
    Ok(Routing::Torus(torus))
}

/// A fat tree.
pub(super) fn fat_tree<'a>(reader: &mut Reader<'a>, cluster: &Cluster<'a>) -> Result<Routing, Error> {
    let text = cluster.element.required("topo_parameters")?;
    let parts: Vec<&str> = text.split(';').collect();
    let [levels, children, parents, cables] = parts[..] else {
        let message = format!("{} are not four parts", show(text));
        return Err(wrong(cluster, message, FAT_TREE));
    };
    let shape = Shape {
        children: numbers(cluster, children, FAT_TREE)?,
        parents: numbers(cluster, parents, FAT_TREE)?,
        cables: numbers(cluster, cables, FAT_TREE)?,
    };
    let count = numbers(cluster, levels, FAT_TREE)?;
    for part in [&shape.children, &shape.parents, &shape.cables] {
        if count.len() != 1 || part.len() != count[0] as usize {
            let message = format!("{} levels, and {} numbers for them", show(levels), part.len());
            return Err(wrong(cluster, message, FAT_TREE));
        }
    }
    if shape.children.len() > MOST_LEVELS {
        return Err(wrong(
            cluster,
            format!("more than {MOST_LEVELS} levels"),
            FAT_TREE,
        ));
    }
    let sizes = shape.sizes();
    let ports = |of: &[u32]| {
        of.iter()
            .zip(&shape.cables)
            .all(|(of, cables)| of.checked_mul(*cables).is_some())
    };
    let fits = sizes.is_some() && ports(&shape.children) && ports(&shape.parents);
    let links = shape.cables().filter(|_| fits).map(|links| links as usize);
    check_size(cluster, sizes.as_ref().map(|sizes| sizes[0]), links, FAT_TREE)?;
    let nodes = cluster.numbers.len() as u32;
    let switches: u32 = sizes.map_or(0, |sizes| sizes[1..].iter().sum());
    let loopbacks = each(reader, cluster, |reader, _, number| {
        reader.loopback(cluster, number)
    })?;
    let mut limiters = each(reader, cluster, |reader, slot, _| reader.limiter(cluster, slot))?;
    // Switches are numbered as in SimGrid: downwards from twice the number of nodes.
    let number = |vertex: u32| {
        if vertex < nodes {
            i64::from(vertex)
        } else {
            2 * i64::from(nodes) - 1 - i64::from(vertex - nodes)
        }
    };
    for switch in 0..switches {
        // More switches than nodes would take the numbers of nodes.
        let number = u32::try_from(number(nodes + switch))
            .ok()
            .filter(|number| *number >= nodes);
        limiters.push(reader.limiter(cluster, number.unwrap_or(2 * nodes + switch))?);
    }
    let mut failed = None;
    let tree = FatTree::new(
        shape,
        |vertex| limiters[vertex as usize],
        loopbacks,
        |child, parent| {
            let count = reader.cables;
            reader.cables += 1;
            let name = format!("link_from_{}_{}_{count}", number(child), number(parent));
            reader.cable(cluster, name, 1.0).unwrap_or_else(|error| {
                failed.get_or_insert(error);
                (LinkId(0), LinkId(0))
            })
        },
    );
    match failed {
        None => Ok(Routing::FatTree(tree)),
        Some(error) => Err(error),
    }
}

/// A dragonfly.
pub(super) fn dragonfly<'a>(reader: &mut Reader<'a>, cluster: &Cluster<'a>) -> Result<Routing, Error> {
    let text = cluster.element.required("topo_parameters")?;
    let parts: Vec<&str> = text.split(';').collect();
    let parts = parts.iter().map(|part| numbers(cluster, part, DRAGONFLY));
    let parts = parts.collect::<Result<Vec<_>, _>>()?;
    let parts: Vec<&[u32]> = parts.iter().map(Vec::as_slice).collect();
    let [[groups, blue], [chassis, black], [blades, green], [nodes]] = parts[..] else {
        let message = format!("{} are not three pairs and a number", show(text));
        return Err(wrong(cluster, message, DRAGONFLY));
    };
    let counts = Counts {
        groups: *groups,
        chassis: *chassis,
        blades: *blades,
        nodes: *nodes,
    };
    let all = [*groups, *chassis, *blades, *nodes];
    let total = all.iter().copied().try_fold(1, u32::checked_mul);
    let pairs = |number: u32, times: usize| {
        let number = number as usize;
        (number * (number - 1) / 2).checked_mul(times)
    };
    let links = total.and_then(|total| {
        let routers = (total / nodes) as usize;
        let green = pairs(*blades, routers / *blades as usize)?;
        let black = pairs(*chassis, routers / *chassis as usize)?;
        let blue = pairs(*groups, 1)?;
        (total as usize)
            .checked_add(green)?
            .checked_add(black)?
            .checked_add(blue)
    });
    check_size(cluster, total, links, DRAGONFLY)?;
    if groups > blades {
        let message = format!("{groups} groups, and {blades} blades in a chassis to connect them");
        let remedy = "give a chassis at least as many blades as there are groups";
        return Err(wrong(cluster, message, remedy));
    }
    let routers = counts.routers();
    let limiters = each(reader, cluster, |reader, slot, _| reader.limiter(cluster, slot))?;
    // Routers are numbered as in SimGrid: downwards from twice the number of nodes.
    let numbers = (0..routers).map(|router| 2 * (routers * nodes) - 1 - router);
    let router_limiters = numbers
        .map(|number| reader.limiter(cluster, number))
        .collect::<Result<_, _>>()?;
    let mut fly = Dragonfly {
        counts,
        local: Vec::new(),
        green: vec![None; (routers * blades) as usize],
        black: vec![None; (routers * chassis) as usize],
        blue: vec![None; (groups * groups) as usize],
        loopbacks: each(reader, cluster, |reader, _, number| {
            reader.loopback(cluster, number)
        })?,
        limiters,
        router_limiters,
    };
    let mut cable = |name: String, times: u32| {
        let count = reader.cables;
        reader.cables += 1;
        reader.cable(cluster, format!("{name}_{count}"), f64::from(times))
    };
    for router in 0..routers {
        for node in 0..*nodes {
            fly.local.push(cable(
                format!("local_link_from_router_{router}_to_node_{node}"),
                1,
            )?);
        }
    }
    for row in 0..groups * chassis {
        for (j, k) in couples(*blades) {
            let name = format!(
                "green_link_in_chassis_{}_between_routers_{j}_and_{k}",
                row % chassis
            );
            let (there, back) = cable(name, *green)?;
            fly.green[((row * blades + j) * blades + k) as usize] = Some(there);
            fly.green[((row * blades + k) * blades + j) as usize] = Some(back);
        }
    }
    for group in 0..*groups {
        for (j, k) in couples(*chassis) {
            for blade in 0..*blades {
                let name = format!("black_link_in_group_{group}_between_chassis_{j}_and_{k}_blade_{blade}");
                let (there, back) = cable(name, *black)?;
                let (from, to) = (counts.router(group, j, blade), counts.router(group, k, blade));
                fly.black[(from * chassis + k) as usize] = Some(there);
                fly.black[(to * chassis + j) as usize] = Some(back);
            }
        }
    }
    for (j, k) in couples(*groups) {
        let (from, to) = (counts.router(j, 0, k), counts.router(k, 0, j));
        let name = format!("blue_link_between_group_{j}_and_{k}_routers_{from}_and_{to}");
        let (there, back) = cable(name, *blue)?;
        fly.blue[(j * groups + k) as usize] = Some(there);
        fly.blue[(k * groups + j) as usize] = Some(back);
    }
    Ok(Routing::Dragonfly(fly))
}

/// All pairs of numbers below `count`, the lower one first.
fn couples(count: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..count).flat_map(move |j| (j + 1..count).map(move |k| (j, k)))
}
