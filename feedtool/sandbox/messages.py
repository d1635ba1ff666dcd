"""The result messages, by code and language: part "Offer package and offer request".

The specification shows no list of codes. As observed, a code is two digits for the error and two
for the property that it is about: 10|05 is "required" on the stock.
"""

from __future__ import annotations

LANGUAGES = ("en-US", "fr-FR", "es-ES")

CREATED = "8000"
UPDATED = "9000"
DOUBLED = "2801"
PACKAGE_EMPTY = "1023"
PACKAGE_FULL = "1723"

MESSAGES: dict[str, tuple[str, str, str]] = {
    # 10: required
    "1001": (
        "A GTIN or a product reference is required.",
        "Un GTIN ou une référence produit est obligatoire.",
        "Se requiere un GTIN o una referencia de producto.",
    ),
    "1002": (
        "The condition is required.",
        "L'état du produit est obligatoire.",
        "La condición es obligatoria.",
    ),
    "1003": (
        "The seller reference is required.",
        "La référence vendeur est obligatoire.",
        "La referencia del vendedor es obligatoria.",
    ),
    "1005": (
        "The quantity is required.",
        "La quantité est obligatoire.",
        "La cantidad es obligatoria.",
    ),
    "1006": ("The price is required.", "Le prix est obligatoire.", "El precio es obligatorio."),
    "1007": (
        "The VAT rate is required.",
        "Le taux de TVA est obligatoire.",
        "El tipo de IVA es obligatorio.",
    ),
    "1008": (
        "The eco-participation is required, even when it is zero.",
        "L'éco-participation est obligatoire, même nulle.",
        "La ecotasa es obligatoria, aunque sea cero.",
    ),
    "1009": (
        "The preparation time is required.",
        "Le délai de préparation est obligatoire.",
        "El plazo de preparación es obligatorio.",
    ),
    "1011": (
        "The shipping cost of the not tracked delivery is required.",
        "Les frais de port de la livraison non suivie sont obligatoires.",
        "Los gastos del envío sin seguimiento son obligatorios.",
    ),
    "1012": (
        "The tracked home delivery and its shipping cost are required.",
        "La livraison à domicile suivie et ses frais de port sont obligatoires.",
        "La entrega a domicilio con seguimiento y sus gastos son obligatorios.",
    ),
    "1013": (
        "The shipping cost of the signed delivery is required.",
        "Les frais de port de la livraison contre signature sont obligatoires.",
        "Los gastos del envío con firma son obligatorios.",
    ),
    "1014": (
        "The comment is required, even when it is empty.",
        "Le commentaire est obligatoire, même vide.",
        "El comentario es obligatorio, aunque esté vacío.",
    ),
    "1015": (
        "The additional shipping cost of the not tracked delivery is required.",
        "Les frais additionnels de la livraison non suivie sont obligatoires.",
        "Los gastos adicionales del envío sin seguimiento son obligatorios.",
    ),
    "1016": (
        "The additional shipping cost of the tracked delivery is required.",
        "Les frais additionnels de la livraison suivie sont obligatoires.",
        "Los gastos adicionales del envío con seguimiento son obligatorios.",
    ),
    "1017": (
        "The additional shipping cost of the signed delivery is required.",
        "Les frais additionnels de la livraison contre signature sont obligatoires.",
        "Los gastos adicionales del envío con firma son obligatorios.",
    ),
    "1023": (
        "The package holds no offer request.",
        "Le package ne contient aucune offre.",
        "El paquete no contiene ninguna oferta.",
    ),
    "1028": (
        "A value is missing: an Update needs one valid field, a delivery mode its costs.",
        "Il manque une valeur : une mise à jour exige un champ, un mode de livraison ses frais.",
        "Falta un valor: una actualización exige un campo, un modo de entrega sus gastos.",
    ),
    "1031": (
        "The DEA is required, even when it is zero.",
        "La DEA est obligatoire, même nulle.",
        "La DEA es obligatoria, aunque sea cero.",
    ),
    # 11: format
    "1101": ("The GTIN is not valid.", "Le GTIN n'est pas valide.", "El GTIN no es válido."),
    "1103": (
        "The seller reference holds characters that are not allowed.",
        "La référence vendeur contient des caractères interdits.",
        "La referencia del vendedor contiene caracteres no permitidos.",
    ),
    "1105": (
        "The quantity is not a whole number.",
        "La quantité n'est pas un nombre entier.",
        "La cantidad no es un número entero.",
    ),
    "1106": (
        "The price is not a number like 1.50.",
        "Le prix n'est pas un nombre comme 1.50.",
        "El precio no es un número como 1.50.",
    ),
    "1107": (
        "The VAT rate is not a number.",
        "Le taux de TVA n'est pas un nombre.",
        "El tipo de IVA no es un número.",
    ),
    "1108": (
        "The eco-participation is not a number like 1.50.",
        "L'éco-participation n'est pas un nombre comme 1.50.",
        "La ecotasa no es un número como 1.50.",
    ),
    "1109": (
        "The preparation time is not a whole number.",
        "Le délai de préparation n'est pas un nombre entier.",
        "El plazo de preparación no es un número entero.",
    ),
    "1111": (
        "The shipping cost of the not tracked delivery is not a number like 1.50.",
        "Les frais de port de la livraison non suivie ne sont pas un nombre comme 1.50.",
        "Los gastos del envío sin seguimiento no son un número como 1.50.",
    ),
    "1112": (
        "The shipping cost of the tracked delivery is not a number like 1.50.",
        "Les frais de port de la livraison suivie ne sont pas un nombre comme 1.50.",
        "Los gastos del envío con seguimiento no son un número como 1.50.",
    ),
    "1113": (
        "The shipping cost of the signed delivery is not a number like 1.50.",
        "Les frais de port de la livraison contre signature ne sont pas un nombre comme 1.50.",
        "Los gastos del envío con firma no son un número como 1.50.",
    ),
    "1115": (
        "The additional cost of the not tracked delivery is not a number like 1.50.",
        "Les frais additionnels de la livraison non suivie ne sont pas un nombre comme 1.50.",
        "Los gastos adicionales del envío sin seguimiento no son un número como 1.50.",
    ),
    "1116": (
        "The additional cost of the tracked delivery is not a number like 1.50.",
        "Les frais additionnels de la livraison suivie ne sont pas un nombre comme 1.50.",
        "Los gastos adicionales del envío con seguimiento no son un número como 1.50.",
    ),
    "1117": (
        "The additional cost of the signed delivery is not a number like 1.50.",
        "Les frais additionnels de la livraison contre signature ne sont pas un nombre comme 1.50.",
        "Los gastos adicionales del envío con firma no son un número como 1.50.",
    ),
    "1118": (
        "The struck price is not a number like 1.50.",
        "Le prix barré n'est pas un nombre comme 1.50.",
        "El precio tachado no es un número como 1.50.",
    ),
    "1124": (
        "The product reference may hold letters, digits, dashes and dots only.",
        "La référence produit n'admet que lettres, chiffres, tirets et points.",
        "La referencia de producto solo admite letras, cifras, guiones y puntos.",
    ),
    "1128": (
        "The costs of a delivery mode are not numbers like 1.50.",
        "Les frais d'un mode de livraison ne sont pas des nombres comme 1.50.",
        "Los gastos de un modo de entrega no son números como 1.50.",
    ),
    "1131": (
        "The DEA is not a number like 1.50.",
        "La DEA n'est pas un nombre comme 1.50.",
        "La DEA no es un número como 1.50.",
    ),
    # 12: length
    "1203": (
        "The seller reference is too long.",
        "La référence vendeur est trop longue.",
        "La referencia del vendedor es demasiado larga.",
    ),
    "1224": (
        "The product reference is too long.",
        "La référence produit est trop longue.",
        "La referencia de producto es demasiado larga.",
    ),
    # 13: does not exist
    "1302": (
        "The condition does not exist.",
        "L'état du produit n'existe pas.",
        "La condición no existe.",
    ),
    "1324": (
        "There is no product sheet for this product.",
        "Il n'existe pas de fiche produit pour ce produit.",
        "No existe ficha de producto para este producto.",
    ),
    "1328": (
        "A tax is none of VAT, EcoPart and DEA.",
        "Une taxe n'est ni VAT, ni EcoPart, ni DEA.",
        "Un impuesto no es ni VAT, ni EcoPart, ni DEA.",
    ),
    # 17: out of bounds
    "1705": (
        "The quantity is out of bounds.",
        "La quantité est hors limites.",
        "La cantidad está fuera de límites.",
    ),
    "1707": (
        "The VAT rate must lie between 0 and 100.",
        "Le taux de TVA doit être compris entre 0 et 100.",
        "El tipo de IVA debe estar entre 0 y 100.",
    ),
    "1708": (
        "The eco-participation must not be negative.",
        "L'éco-participation ne peut pas être négative.",
        "La ecotasa no puede ser negativa.",
    ),
    "1709": (
        "The preparation time is out of bounds.",
        "Le délai de préparation est hors limites.",
        "El plazo de preparación está fuera de límites.",
    ),
    "1711": (
        "The shipping cost of the not tracked delivery must not be negative.",
        "Les frais de port de la livraison non suivie ne peuvent pas être négatifs.",
        "Los gastos del envío sin seguimiento no pueden ser negativos.",
    ),
    "1712": (
        "The shipping cost of the tracked delivery must not be negative.",
        "Les frais de port de la livraison suivie ne peuvent pas être négatifs.",
        "Los gastos del envío con seguimiento no pueden ser negativos.",
    ),
    "1713": (
        "The shipping cost of the signed delivery must not be negative.",
        "Les frais de port de la livraison contre signature ne peuvent pas être négatifs.",
        "Los gastos del envío con firma no pueden ser negativos.",
    ),
    "1715": (
        "The additional cost of the not tracked delivery must not be negative.",
        "Les frais additionnels de la livraison non suivie ne peuvent pas être négatifs.",
        "Los gastos adicionales del envío sin seguimiento no pueden ser negativos.",
    ),
    "1716": (
        "The additional cost of the tracked delivery must not be negative.",
        "Les frais additionnels de la livraison suivie ne peuvent pas être négatifs.",
        "Los gastos adicionales del envío con seguimiento no pueden ser negativos.",
    ),
    "1717": (
        "The additional cost of the signed delivery must not be negative.",
        "Les frais additionnels de la livraison contre signature ne peuvent pas être négatifs.",
        "Los gastos adicionales del envío con firma no pueden ser negativos.",
    ),
    "1723": (
        "The package holds more offers than one may.",
        "Le package contient plus d'offres que permis.",
        "El paquete contiene más ofertas de las permitidas.",
    ),
    "1728": (
        "The costs of a delivery mode must not be negative.",
        "Les frais d'un mode de livraison ne peuvent pas être négatifs.",
        "Los gastos de un modo de entrega no pueden ser negativos.",
    ),
    "1731": (
        "The DEA must not be negative.",
        "La DEA ne peut pas être négative.",
        "La DEA no puede ser negativa.",
    ),
    # 19 to 25: how values stand to each other, and to what there is
    "1906": (
        "The price must be greater than zero.",
        "Le prix doit être supérieur à zéro.",
        "El precio debe ser mayor que cero.",
    ),
    "2318": (
        "The struck price must not be below the price.",
        "Le prix barré ne peut pas être inférieur au prix.",
        "El precio tachado no puede ser inferior al precio.",
    ),
    "2403": (
        "An offer for this product and condition exists under another seller reference.",
        "Une offre pour ce produit et cet état existe sous une autre référence vendeur.",
        "Ya existe una oferta de este producto y condición con otra referencia del vendedor.",
    ),
    "2503": (
        "The seller reference is already used for another product or condition.",
        "La référence vendeur est déjà utilisée pour un autre produit ou état.",
        "La referencia del vendedor ya se usa para otro producto o condición.",
    ),
    # 28: already submitted
    "2801": (
        "The seller reference occurs several times in the package.",
        "La référence vendeur figure plusieurs fois dans le package.",
        "La referencia del vendedor aparece varias veces en el paquete.",
    ),
    "2807": (
        "The VAT rate is given more than once.",
        "Le taux de TVA est indiqué plusieurs fois.",
        "El tipo de IVA se indica varias veces.",
    ),
    "2808": (
        "The eco-participation is given more than once.",
        "L'éco-participation est indiquée plusieurs fois.",
        "La ecotasa se indica varias veces.",
    ),
    "2811": (
        "The not tracked delivery is given more than once.",
        "La livraison non suivie est indiquée plusieurs fois.",
        "El envío sin seguimiento se indica varias veces.",
    ),
    "2812": (
        "The tracked delivery is given more than once.",
        "La livraison suivie est indiquée plusieurs fois.",
        "El envío con seguimiento se indica varias veces.",
    ),
    "2813": (
        "The signed delivery is given more than once.",
        "La livraison contre signature est indiquée plusieurs fois.",
        "El envío con firma se indica varias veces.",
    ),
    "2828": (
        "A delivery mode is given more than once.",
        "Un mode de livraison est indiqué plusieurs fois.",
        "Un modo de entrega se indica varias veces.",
    ),
    "2831": (
        "The DEA is given more than once.",
        "La DEA est indiquée plusieurs fois.",
        "La DEA se indica varias veces.",
    ),
    # the rest
    "2906": (
        "The price must be greater than the taxes that it contains.",
        "Le prix doit être supérieur aux taxes qu'il contient.",
        "El precio debe ser mayor que los impuestos que contiene.",
    ),
    "3003": (
        "The seller reference is unknown.",
        "La référence vendeur est inconnue.",
        "La referencia del vendedor es desconocida.",
    ),
    "3628": (
        "The offer cannot be updated since it does not exist.",
        "L'offre ne peut pas être mise à jour car elle n'existe pas.",
        "La oferta no se puede actualizar porque no existe.",
    ),
    "4028": (
        "A delivery mode is not configured for the seller.",
        "Un mode de livraison n'est pas configuré pour le vendeur.",
        "Un modo de entrega no está configurado para el vendedor.",
    ),
    "8000": ("The offer has been created.", "L'offre a été créée.", "La oferta se ha creado."),
    "9000": (
        "The offer has been updated or removed.",
        "L'offre a été mise à jour ou supprimée.",
        "La oferta se ha actualizado o eliminado.",
    ),
}


def message(code: str, language: str) -> dict[str, str]:
    """A result as the service shows it."""
    return {"resultCode": code, "message": MESSAGES[code][LANGUAGES.index(language)]}
