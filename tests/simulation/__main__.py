"""Runs one seed's world, and shows all that happens in it."""

import sys

from tests.simulation.checker import checked
from tests.simulation.machine import FragileLedger
from tests.simulation.mutants import MUTANTS
from tests.simulation.world import World


def main(seed: int, mutant: str = "") -> None:
    alter, kind = MUTANTS.get(mutant, (None, FragileLedger))
    with kind() as ledger:
        world = World(seed, ledger)
        try:
            if alter:
                with alter():
                    world.live()
            else:
                world.live()
        finally:
            sys.stdout.write("\n".join(world.log) + "\n")
        sys.stdout.write(f"{dict(checked(world).statuses)}\n")


main(int(sys.argv[1]), *sys.argv[2:3])
