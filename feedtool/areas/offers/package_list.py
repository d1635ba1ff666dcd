"""`feedtool export offer-packages`: the seller's packages, begun here or elsewhere."""

from feedtool.areas.listing import Empty, Entries, ListFilter, Listing, export_of
from feedtool.areas.offers.wire import packages
from feedtool.areas.offers.wire.offers import read_packages
from feedtool.areas.plain_list import DATE, Table
from feedtool.feeds.export import OF_FILTERS, Filter
from feedtool.feeds.template import TEXT
from feedtool.model.text import tr
from feedtool.service.answers import id_of

KNOWN = {
    "packageId": (tr("Package"), TEXT),
    "packageType": (tr("Type of the package"), TEXT),
    "salesChannelId": (tr("Sales channel"), TEXT),
    "state": (tr("State of the package"), TEXT),
    "submissionDate": (tr("Created"), DATE),
    "processingDate": (tr("Processed"), DATE),
    "offerRequestsCount": (tr("Offer requests"), "0"),
    "integratedCount": (tr("Integrated"), "0"),
    "rejectedCount": (tr("Rejected"), "0"),
    "duplicatedCount": (tr("Duplicated"), "0"),
    "result.resultCode": (tr("Code"), TEXT),
    "result.message": (tr("Reason"), TEXT),
}
"""The specification shows no names of counts and dates: others come behind."""

BY_STATE = Filter(
    "state",
    "STATE[,STATE]",
    tr("Only packages in these states."),
    is_list=True,
    choices=tuple(packages.STATES),
)
BY_SALES_CHANNEL = Filter(
    "sales-channel", "ID[,ID]", tr("Only these sales channels."), is_list=True
)
PACKAGE_LIST = Listing(
    "offer-packages",
    """Export the packages of offers that the service has, with the state of each, into a table.

    Other programs' packages are here, too. `feedtool runs` lists what was sent from here.
    """,
    noun=tr("packages"),
    page=read_packages(),
    sheet=Table(tr("Packages of offers"), KNOWN),
    empty=Empty(tr("there are no packages like that"), OF_FILTERS),
    filters=(
        ListFilter(BY_STATE, "state", is_single=True),
        ListFilter(BY_SALES_CHANNEL, "salesChannelId", is_single=True),
    ),
    entries=Entries(key=lambda package: id_of(package) or repr(package)),
)
EXPORT = export_of(PACKAGE_LIST)
