//! How symmetries act on rows of local states, and which representative of an orbit to visit.

use crate::claim::symmetry::{Renaming, descend};
use crate::model::InstanceId;
use crate::model::eval::tables::{LocalState, Tables};

/// The effect of some renamings on the rows of tables.
#[derive(Debug, Default)]
pub struct Orbits {
    generators: Vec<Renaming>,
    /// Per generator, instance and local state the local state of the instance's image.
    images: Vec<Vec<Vec<u32>>>,
    /// Per generator, of the places in the image that may differ, ascending, whose local states come there.
    moved: Vec<Vec<(u32, u32)>>,
}

impl Orbits {
    /// Of renamings under which what matters of an instance is what matters of its image.
    pub fn new(tables: &Tables, generators: Vec<Renaming>) -> Orbits {
        let model = tables.semantics().model();
        let is_moved = |renaming: &Renaming, instance: InstanceId| {
            let locals = &model.agent_of(instance).locals;
            let mut values =
                tables.kept(instance.index()).iter().filter_map(|local| renaming.values(locals[local.index()].ty));
            renaming.instances[instance.index()] != instance.0
                || values.any(|images| images.iter().zip(0..).any(|(image, index)| *image != index))
        };
        let moved = |renaming: &Renaming| {
            let instances = model.instance_ids().filter(|instance| is_moved(renaming, *instance));
            let mut moved: Vec<(u32, u32)> =
                instances.map(|instance| (renaming.instances[instance.index()], instance.0)).collect();
            moved.sort_unstable();
            moved
        };
        let images = generators.iter().map(|_| vec![Vec::new(); tables.instances()]).collect();
        Orbits { moved: generators.iter().map(moved).collect(), images, generators }
    }

    /// The renamings.
    pub fn generators(&self) -> &[Renaming] {
        &self.generators
    }

    /// Learns the images of all local states that the tables know.
    pub fn learn(&mut self, tables: &mut Tables) {
        let mut complete = self.generators.is_empty();
        while !complete {
            complete = true;
            for (generator, images) in self.generators.iter().zip(&mut self.images) {
                for (instance, images) in images.iter_mut().enumerate() {
                    let to = generator.instances[instance] as usize;
                    while images.len() < tables.local_states(instance).len() {
                        let image = image(tables, generator, instance, images.len());
                        images.push(tables.add(to, image));
                        complete = false;
                    }
                }
            }
        }
    }

    /// Makes the row smaller as long as one of the renamings does, and says each time which one did.
    pub fn canonicalise(&self, row: &mut [u32], applied: &mut impl FnMut(u32)) {
        descend(self.generators.len(), |generator| {
            let images = &self.images[generator];
            let image = |from: u32| images[from as usize][row[from as usize] as usize];
            let mut differing = self.moved[generator].iter().map(|(at, from)| (image(*from), row[*at as usize]));
            let lowers = differing.find(|(new, old)| new != old).is_some_and(|(new, old)| new < old);
            if lowers {
                let new: Vec<u32> = self.moved[generator].iter().map(|(_, from)| image(*from)).collect();
                self.moved[generator].iter().zip(new).for_each(|((at, _), new)| row[*at as usize] = new);
                applied(generator as u32);
            }
            lowers
        });
    }

    /// The image of an instance in a local state.
    pub fn image(&self, generator: usize, (instance, number): (u32, u32)) -> (u32, u32) {
        let image = self.images[generator][instance as usize][number as usize];
        (self.generators[generator].instances[instance as usize], image)
    }

    /// The renaming by a word of generators, one after the other.
    pub fn renaming(&self, tables: &Tables, word: &[u32]) -> Renaming {
        let identity = Renaming::identity(tables.semantics().model());
        word.iter().fold(identity, |renaming, generator| renaming.then(&self.generators[*generator as usize]))
    }
}

fn image(tables: &Tables, renaming: &Renaming, instance: usize, number: usize) -> LocalState {
    let locals = &tables.semantics().model().agent_of(InstanceId(instance as u32)).locals;
    let LocalState { automaton, values } = &*tables.local_states(instance)[number];
    let kept = tables.kept(instance).iter().zip(values);
    let renamed = kept.map(|(local, value)| renaming.value(value, locals[local.index()].ty));
    LocalState { automaton: *automaton, values: renamed.collect() }
}
