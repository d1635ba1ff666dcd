"""Legacy packages: zips with an Offers.xml."""
