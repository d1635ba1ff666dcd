"""Runs one seed's world, and shows all that happens in it."""

import sys

from tests.simulation.machine import FragileLedger
from tests.simulation.mutants import MUTANTS
from tests.simulation.shop import Shop
from tests.simulation.world import World


def main(seed: int, what: str = "") -> None:
    """`what` is a mutant's name, or `shop` for a world with products."""
    alter, kind = MUTANTS.get(what, (None, FragileLedger))
    with kind() as ledger:
        world = Shop(seed, ledger) if what == "shop" else World(seed, ledger)
        try:
            if alter:
                with alter():
                    world.live()
            else:
                world.live()
        finally:
            sys.stdout.write("\n".join(world.log) + "\n")
        sys.stdout.write(f"{dict(world.judged().statuses)}\n")


main(int(sys.argv[1]), *sys.argv[2:3])
