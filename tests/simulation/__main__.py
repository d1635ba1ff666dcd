"""Runs one seed's world, and shows all that happens in it."""

import sys
from contextlib import nullcontext

from tests.simulation.acts import Acts
from tests.simulation.creations import Creations
from tests.simulation.mutants import MUTANTS, Mutant
from tests.simulation.shop import Shop
from tests.simulation.undone import Undone
from tests.simulation.world import World


def main(seed: int, what: str = "") -> None:
    """`what` is a mutant's name, or a world with more: `shop`, `undone`, `acts`, `creations`."""
    kind = {"shop": Shop, "undone": Undone, "acts": Acts, "creations": Creations}.get(what, World)
    plain = Mutant(nullcontext, seed, kind)
    mutant = MUTANTS.get(what, plain)
    with mutant.ledger() as ledger, mutant.alter():
        world = mutant.kind(seed, ledger)
        try:
            world.live()
        finally:
            sys.stdout.write("\n".join(world.log) + "\n")
        sys.stdout.write(f"{dict(world.judged().statuses)}\n")


main(int(sys.argv[1]), *sys.argv[2:3])
