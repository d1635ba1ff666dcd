"""The behaviour of the sandbox's money."""

from msgspec import Struct


class FinanceBehaviour(Struct, frozen=True):
    """Settings of operations, payments and invoices."""

    history: int = 70
    """Days before the first request that have operations."""
    negative_fees: bool = True
    """True if what the seller pays is shown below 0; the specification does not say it."""
    negative_restitutions: bool = False
    """True if a returned commission is shown below 0, and fees above 0."""
    commission: int = 12
    """In percent of a sale."""
    is_archive_partial: bool = True
    """True if an archive leaves out missing documents; else it is refused."""
    broken_operation: int = 0
    """The number of an operation whose total is shown 0.01 too high; 0: none."""
    broken_payment: str = ""
    """The day whose payments are shown 0.01 too high: `2026-03-01`."""
    is_list_broken: bool = False
    """True if the total of the list of operations is 0.01 too high."""
