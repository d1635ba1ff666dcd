"""Operations, payments and invoices of the service: the seller's money, proved and booked."""
