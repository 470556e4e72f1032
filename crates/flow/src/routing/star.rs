//! Clusters: every point has a way up to the middle and one down from it.

use crate::link::LinkId;

/// The links of one point.
#[derive(Clone, Debug, Default)]
pub struct Ray {
    /// To the middle
    pub up: Vec<LinkId>,
    /// From the middle
    pub down: Vec<LinkId>,
    /// From the point to itself, where it has a link of its own for that
    pub loopback: Option<LinkId>,
}

/// Where every point has a way up to the middle and one down from it. Points that were given none stand in the middle.
#[derive(Debug, Default)]
pub struct Star {
    rays: Vec<Ray>,
}

impl Star {
    /// Gives the point at a place its links.
    pub fn set(&mut self, slot: u32, ray: Ray) {
        let slot = slot as usize;
        if self.rays.len() <= slot {
            self.rays.resize_with(slot + 1, Ray::default);
        }
        self.rays[slot] = ray;
    }

    /// Appends the links up from one point and down to another. A link on both, such as a backbone, counts once. From a point to
    /// itself that is its own loopback link or, without one, its links up and down.
    pub fn route(&self, from: u32, to: u32, links: &mut Vec<LinkId>) {
        let ray = |slot: u32| self.rays.get(slot as usize);
        if from == to
            && let Some(loopback) = ray(from).and_then(|ray| ray.loopback)
        {
            links.push(loopback);
            return;
        }
        let begin = links.len();
        let up = ray(from).map_or(&[][..], |ray| &ray.up);
        let down = ray(to).map_or(&[][..], |ray| &ray.down);
        for link in up.iter().chain(down) {
            if !links[begin..].contains(link) {
                links.push(*link);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(links: &[u32]) -> Vec<LinkId> {
        links.iter().copied().map(LinkId).collect()
    }

    fn route(star: &Star, from: u32, to: u32) -> Vec<LinkId> {
        let mut links = Vec::new();
        star.route(from, to, &mut links);
        links
    }

    #[test]
    fn up_and_down_with_the_backbone_once() {
        let mut star = Star::default();
        let ray = |up: &[u32], down: &[u32], loopback| Ray {
            up: ids(up),
            down: ids(down),
            loopback,
        };
        star.set(0, ray(&[1, 9], &[9, 2], None));
        star.set(1, ray(&[3, 9], &[9, 4], Some(LinkId(5))));
        assert_eq!(route(&star, 0, 1), ids(&[1, 9, 4]));
        assert_eq!(route(&star, 1, 0), ids(&[3, 9, 2]));
        assert_eq!(route(&star, 0, 0), ids(&[1, 9, 2]));
        assert_eq!(route(&star, 1, 1), ids(&[5]));
        // Place 2 is a router in the middle.
        assert_eq!(route(&star, 0, 2), ids(&[1, 9]));
        assert_eq!(route(&star, 2, 1), ids(&[9, 4]));
        assert_eq!(route(&star, 2, 2), ids(&[]));
    }
}
