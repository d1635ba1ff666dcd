"""What of the valid rows is sent: not what is unchanged, and not what a guard holds.

Every row is compared with what the service last accepted of its reference (`ledger.absorbing` says
what that is, `changes` what counts as the same), and shown to each guard. It is looked at twice,
since only the last row of the last file tells how many offers a file removes, and which stocks
other rows of the command change: stock is shared across channels, so a row that has the known
quantity is not unchanged where another one of its product has a different quantity.

Reading order: `sifting` (what a command asks for), `known` (what is asked of the ledger), `looks`
(both looks, and what they decide), which uses `changes`, `tally` (what a sheet takes away in all)
and `footprints` (stocks that rows change); beside it `predecessors` (which file was before this).
"""

from feedtool.areas.offers.changes.selection.known import KnownOffers, Nothing
from feedtool.areas.offers.changes.selection.looks import sift
from feedtool.areas.offers.changes.selection.sifting import EVERY_ROW, Sifting

__all__ = ["EVERY_ROW", "KnownOffers", "Nothing", "Sifting", "sift"]
