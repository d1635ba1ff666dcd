"""The rules about invoices; their pages for users are in `problems.md`.

Most of them are found where a file is read (`contents`).
"""

from feedtool.areas.invoices import contents
from feedtool.areas.invoices.feeds import INVOICE_TWICE, KIND, ORDER_ID_NAME, RepeatedOrders
from feedtool.feeds.rule import Rule

READ = (
    *(contents.FILE_EMPTY, contents.FILE_NOT_FOUND, contents.FILE_SIZE, contents.INVOICE_TYPE),
    *(contents.PDF_ENCRYPTED, ORDER_ID_NAME),
)
RULES = (
    *(Rule(code, kinds=(KIND,)) for code in READ),
    Rule(contents.INVOICE_REPLACES, kinds=(KIND,), is_guard=True),
    Rule(INVOICE_TWICE, survey=RepeatedOrders, kinds=(KIND,)),
)
