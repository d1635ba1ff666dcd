"""The names that an Offers.xml and its zip are made of. Source: files of the field."""

NAMESPACE = (
    "clr-namespace:Cdiscount.Service.OfferIntegration.Pivot;"
    "assembly=Cdiscount.Service.OfferIntegration"
)
XAML = "http://schemas.microsoft.com/winfx/2006/xaml"

CONTENT_TYPES = "[Content_Types].xml"
RELATIONSHIPS = "_rels/.rels"
OFFERS = "Content/Offers.xml"
MEMBERS = (CONTENT_TYPES, RELATIONSHIPS, OFFERS)

PARENTS = {
    "OfferPackage": "",
    "OfferPackage.OfferPublicationList": "OfferPackage",
    "OfferPublicationList": "OfferPackage.OfferPublicationList",
    "PublicationPool": "OfferPublicationList",
    "OfferPackage.Offers": "OfferPackage",
    "OfferCollection": "OfferPackage.Offers",
    "Offer": "OfferCollection",
    "Offer.PriceAndDiscountList": "Offer",
    "DiscountComponentList": "Offer.PriceAndDiscountList",
    "DiscountComponent": "DiscountComponentList",
    "Offer.ShippingInformationList": "Offer",
    "ShippingInformationList": "Offer.ShippingInformationList",
    "ShippingInformation": "ShippingInformationList",
}
"""Each element, in the order in which they must stand, and the element that it stands in."""
