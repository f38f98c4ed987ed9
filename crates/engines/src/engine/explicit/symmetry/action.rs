//! How symmetries act on rows of local states, and which representative of an orbit to visit.

use crate::claim::symmetry::{Renaming, descend};
use crate::model::eval::tables::{Cell, LocalState, Tables};

/// The effect of some renamings on the rows of tables.
#[derive(Debug, Default)]
pub struct Orbits {
    generators: Vec<Renaming>,
    /// Per generator and cell the cell of the image.
    cells: Vec<Vec<u32>>,
    /// Per generator, cell and local state the local state of the cell's image.
    images: Vec<Vec<Vec<u32>>>,
    /// Per generator, of the cells in the image that may differ, ascending, whose local states come there.
    moved: Vec<Vec<(u32, u32)>>,
}

impl Orbits {
    /// Of renamings under which what matters of an instance is what matters of its image.
    pub fn new(tables: &Tables, generators: Vec<Renaming>) -> Orbits {
        let model = tables.semantics().model();
        let is_moved = |renaming: &Renaming, cell: &Cell| {
            let locals = &model.agent_of(cell.instance).locals;
            let mut values = cell.locals.iter().filter_map(|local| renaming.values(locals[local.index()].ty));
            renaming.instances[cell.instance.index()] != cell.instance.0
                || values.any(|images| images.iter().zip(0..).any(|(image, index)| *image != index))
        };
        let cells: Vec<Vec<u32>> =
            generators.iter().map(|renaming| tables.renamed_cells(&renaming.instances)).collect();
        let moved = |(renaming, images): (&Renaming, &Vec<u32>)| {
            let cells = (0..).zip(tables.cells()).zip(images);
            let cells = cells.filter(|((_, cell), _)| is_moved(renaming, cell));
            let mut moved: Vec<(u32, u32)> = cells.map(|((from, _), to)| (*to, from)).collect();
            moved.sort_unstable();
            moved
        };
        let images = generators.iter().map(|_| vec![Vec::new(); tables.cells().len()]).collect();
        Orbits { moved: generators.iter().zip(&cells).map(moved).collect(), cells, images, generators }
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
            for ((generator, cells), images) in self.generators.iter().zip(&self.cells).zip(&mut self.images) {
                for (cell, (to, images)) in cells.iter().zip(images).enumerate() {
                    while images.len() < tables.cells()[cell].local_states().len() {
                        let image = image(tables, generator, cell, images.len());
                        images.push(tables.add(*to as usize, image));
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

    /// The image of a cell with a local state.
    pub fn image(&self, generator: usize, (cell, number): (u32, u32)) -> (u32, u32) {
        let image = self.images[generator][cell as usize][number as usize];
        (self.cells[generator][cell as usize], image)
    }

    /// The renaming by a word of generators, one after the other.
    pub fn renaming(&self, tables: &Tables, word: &[u32]) -> Renaming {
        let identity = Renaming::identity(tables.semantics().model());
        word.iter().fold(identity, |renaming, generator| renaming.then(&self.generators[*generator as usize]))
    }
}

fn image(tables: &Tables, renaming: &Renaming, cell: usize, number: usize) -> LocalState {
    let cell = &tables.cells()[cell];
    let locals = &tables.semantics().model().agent_of(cell.instance).locals;
    let LocalState { automaton, values } = &*cell.local_states()[number];
    let values = cell.locals.iter().zip(values);
    let renamed = values.map(|(local, value)| renaming.value(value, locals[local.index()].ty));
    LocalState { automaton: *automaton, values: renamed.collect() }
}
