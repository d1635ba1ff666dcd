"""What a template says beside its columns, in each language.

Placeholders in braces are filled where a text is used.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from feedtool.feeds.feed import Feed
from feedtool.templates import Language

_FRENCH_BLANKS = re.compile(r"(?<=«) | (?=[:;?!»%])")


def typeset(text: str, language: Language) -> str:
    """French sets its double signs off by a blank that must not end a line."""
    return _FRENCH_BLANKS.sub("\u00a0", text) if language == "fr" else text


@dataclass(frozen=True, slots=True)
class About:
    """What a kind of feed is for."""

    title: str
    rows: str
    """What each row does."""


@dataclass(frozen=True, slots=True)
class Words:
    """One language."""

    about: Mapping[str, About]
    """By kind; a kind without one shows its feed's summary."""
    fill: str
    open_sheet: str
    stars: str
    either: str
    """Only where the sheet has columns of which one must be filled."""
    folded: str
    """Only where columns are folded away."""
    keys: str
    paste: str
    fields: str
    send: str
    validate: str
    submit: str
    legend: str
    required: str
    one_of: str
    recommended: str
    optional: str
    headings: tuple[str, str, str, str, str, str]
    """Of the sheet Fields: label, required, what belongs in it, example, choices, key."""
    yes: str
    no: str
    example: str
    instead: str
    """Of a column that may be filled in another one's stead."""
    unless: str
    """Of a column that need not be filled if one of others is."""
    wrong: str
    """The title of a refused entry."""
    above: str
    at_least: str
    rate: str
    whole: str
    days: str
    choose: str
    more_choices: str
    """Of a list that is too long to be shown as a whole."""


EN = Words(
    about={
        "offers-upsert": About(
            title="Create or replace offers",
            rows=(
                "Each row creates an offer, or replaces the offer that has the same reference. The "
                "whole offer is replaced: where an optional cell is left empty, its old value is "
                "gone."
            ),
        ),
        "offers-update": About(
            title="Change offers",
            rows=(
                "Each row changes the offer that has this reference. An empty cell leaves its "
                "value as it is. Taxes and delivery modes are replaced as a whole: fill all that "
                "the offer shall have, or none. With delivery modes the preparation time is "
                "needed."
            ),
        ),
        "offers-delete": About(
            title="Remove offers",
            rows=(
                "Each row removes the offer that has this reference from the sales channel. To "
                "sell the product again, create the offer anew."
            ),
        ),
        "legacy-offers": About(
            title="Create or replace offers by a legacy zip",
            rows=(
                "Each row becomes an Offer of an Offers.xml: it creates an offer, or replaces the "
                "offer that has the same reference. The whole offer is replaced: where an "
                "optional cell is left empty, its old value is gone."
            ),
        ),
        "legacy-stock-and-price": About(
            title="Change stocks and prices by a legacy zip",
            rows=(
                "Each row changes the price, the stock or both of the offer that has this "
                "reference. An empty cell leaves its value as it is."
            ),
        ),
    },
    fill="How to fill it",
    open_sheet=(
        "Open the sheet “{sheet}” and fill one row per offer, from row 3 on. Empty rows are "
        "skipped."
    ),
    stars="Columns marked * must be filled.",
    keys=(
        "Row 2 holds the technical names of the columns: leave it as it is. You may move columns, "
        "remove optional ones and add your own; a column that is not known is kept and not sent."
    ),
    paste=(
        "References and GTINs are stored as text, so that leading zeros and long numbers survive. "
        "When you paste data, paste values only."
    ),
    fields="The sheet “Fields” explains every column.",
    either="Of the columns marked (*), at least one must be filled.",
    folded=(
        "Some optional columns are folded away: click the + above the column letters to show them."
    ),
    send="How to check and send it",
    validate="checks every row and sends nothing",
    submit="sends the valid rows and writes the answer beside each row",
    legend="Colours of the header",
    required="Required",
    one_of="One of these is required",
    recommended="Recommended",
    optional="Optional",
    headings=("Column", "Required", "What belongs in it", "Example", "Choices", "Technical name"),
    yes="Yes",
    no="No",
    example="Example: {example}",
    instead="Yes, this one or: {others}",
    unless="Yes, unless one of these is filled: {others}",
    wrong="This value is not possible",
    above="A number above {bound}, with two decimals at most.",
    at_least="A number not below {bound}, with two decimals at most.",
    rate="A rate from {least} to {most}: type 20 for 20%.",
    whole="A whole number, {least} or more.",
    days="A whole number of days from {least} to {most}.",
    choose="Please choose a value from the list.",
    more_choices="… {count} in all: see the dropdown",
)

FR = Words(
    about={
        "offers-upsert": About(
            title="Créer ou remplacer des offres",
            rows=(
                "Chaque ligne crée une offre, ou remplace l'offre qui porte la même référence. "
                "L'offre est remplacée en entier : si une cellule facultative reste vide, "
                "l'ancienne valeur disparaît."
            ),
        ),
        "offers-update": About(
            title="Modifier des offres",
            rows=(
                "Chaque ligne modifie l'offre qui porte cette référence. Une cellule vide laisse "
                "la valeur inchangée. Les taxes et les modes de livraison sont remplacés en bloc : "
                "remplissez tout ce que l'offre doit avoir, ou rien. Avec des modes de livraison, "
                "le délai de préparation est obligatoire."
            ),
        ),
        "offers-delete": About(
            title="Supprimer des offres",
            rows=(
                "Chaque ligne retire du canal de vente l'offre qui porte cette référence. Pour "
                "vendre de nouveau le produit, créez une nouvelle offre."
            ),
        ),
        "legacy-offers": About(
            title="Créer ou remplacer des offres par un zip historique",
            rows=(
                "Chaque ligne devient une Offer d'un Offers.xml : elle crée une offre, ou "
                "remplace l'offre qui porte la même référence. L'offre est remplacée en entier : "
                "si une cellule facultative reste vide, l'ancienne valeur disparaît."
            ),
        ),
        "legacy-stock-and-price": About(
            title="Modifier stocks et prix par un zip historique",
            rows=(
                "Chaque ligne modifie le prix, le stock ou les deux de l'offre qui porte cette "
                "référence. Une cellule vide laisse la valeur inchangée."
            ),
        ),
    },
    fill="Comment le remplir",
    open_sheet=(
        "Ouvrez la feuille « {sheet} » et remplissez une ligne par offre, à partir de la ligne 3. "
        "Les lignes vides sont ignorées."
    ),
    stars="Les colonnes marquées * sont obligatoires.",
    keys=(
        "La ligne 2 contient le nom technique des colonnes : ne la modifiez pas. Vous pouvez "
        "déplacer des colonnes, supprimer celles qui sont facultatives et ajouter les vôtres ; une "
        "colonne inconnue est conservée, mais n'est pas envoyée."
    ),
    paste=(
        "Les références et les GTIN sont au format texte, afin que les zéros en tête et les longs "
        "numéros restent intacts. Pour coller des données, collez les valeurs uniquement."
    ),
    fields="La feuille « Fields » explique chaque colonne.",
    either="Parmi les colonnes marquées (*), au moins une doit être remplie.",
    folded=(
        "Certaines colonnes facultatives sont repliées : cliquez sur le + au-dessus des lettres de "
        "colonnes pour les afficher."
    ),
    send="Comment le vérifier et l'envoyer",
    validate="vérifie chaque ligne et n'envoie rien",
    submit="envoie les lignes valides et inscrit la réponse à côté de chaque ligne",
    legend="Couleurs de l'en-tête",
    required="Obligatoire",
    one_of="L'une d'elles est obligatoire",
    recommended="Recommandé",
    optional="Facultatif",
    headings=(
        "Colonne",
        "Obligatoire",
        "Contenu attendu",
        "Exemple",
        "Valeurs possibles",
        "Nom technique",
    ),
    yes="Oui",
    no="Non",
    example="Exemple : {example}",
    instead="Oui, celle-ci ou : {others}",
    unless="Oui, sauf si l'une de celles-ci est remplie : {others}",
    wrong="Valeur impossible",
    above="Un nombre supérieur à {bound}, avec deux décimales au maximum.",
    at_least="Un nombre supérieur ou égal à {bound}, avec deux décimales au maximum.",
    rate="Un taux de {least} à {most} : saisissez 20 pour 20 %.",
    whole="Un nombre entier supérieur ou égal à {least}.",
    days="Un nombre entier de jours, de {least} à {most}.",
    choose="Veuillez choisir une valeur de la liste.",
    more_choices="… {count} en tout : voir la liste déroulante",
)

ES = Words(
    about={
        "offers-upsert": About(
            title="Crear o sustituir ofertas",
            rows=(
                "Cada fila crea una oferta o sustituye la oferta que tiene la misma referencia. La "
                "oferta se sustituye por completo: si una celda opcional queda vacía, el valor "
                "anterior desaparece."
            ),
        ),
        "offers-update": About(
            title="Modificar ofertas",
            rows=(
                "Cada fila modifica la oferta que tiene esta referencia. Una celda vacía deja el "
                "valor como está. Los impuestos y los modos de entrega se sustituyen en bloque: "
                "rellene todo lo que deba tener la oferta, o nada. Con modos de entrega, el plazo "
                "de preparación es obligatorio."
            ),
        ),
        "offers-delete": About(
            title="Eliminar ofertas",
            rows=(
                "Cada fila retira del canal de venta la oferta que tiene esta referencia. Para "
                "volver a vender el producto, cree una oferta nueva."
            ),
        ),
        "legacy-offers": About(
            title="Crear o sustituir ofertas con un zip antiguo",
            rows=(
                "Cada fila se convierte en una Offer de un Offers.xml: crea una oferta o "
                "sustituye la oferta que tiene la misma referencia. La oferta se sustituye por "
                "completo: si una celda opcional queda vacía, el valor anterior desaparece."
            ),
        ),
        "legacy-stock-and-price": About(
            title="Modificar existencias y precios con un zip antiguo",
            rows=(
                "Cada fila modifica el precio, las existencias o ambos de la oferta que tiene esta "
                "referencia. Una celda vacía deja el valor como está."
            ),
        ),
    },
    fill="Cómo rellenarla",
    open_sheet=(
        "Abra la hoja «{sheet}» y rellene una fila por oferta, a partir de la fila 3. Las filas "
        "vacías se omiten."
    ),
    stars="Las columnas marcadas con * son obligatorias.",
    keys=(
        "La fila 2 contiene el nombre técnico de las columnas: no la modifique. Puede mover "
        "columnas, eliminar las opcionales y añadir las suyas; una columna desconocida se "
        "conserva, pero no se envía."
    ),
    paste=(
        "Las referencias y los GTIN tienen formato de texto para que no se pierdan los ceros a la "
        "izquierda ni las cifras de los números largos. Al pegar datos, pegue solo los valores."
    ),
    fields="La hoja «Fields» explica cada columna.",
    either="De las columnas marcadas con (*), hay que rellenar al menos una.",
    folded=(
        "Algunas columnas opcionales están contraídas: haga clic en el + situado encima de las "
        "letras de columna para mostrarlas."
    ),
    send="Cómo comprobarla y enviarla",
    validate="comprueba cada fila y no envía nada",
    submit="envía las filas válidas y escribe la respuesta junto a cada fila",
    legend="Colores del encabezado",
    required="Obligatorio",
    one_of="Una de ellas es obligatoria",
    recommended="Recomendado",
    optional="Opcional",
    headings=(
        "Columna",
        "Obligatorio",
        "Contenido",
        "Ejemplo",
        "Valores posibles",
        "Nombre técnico",
    ),
    yes="Sí",
    no="No",
    example="Ejemplo: {example}",
    instead="Sí, esta o: {others}",
    unless="Sí, salvo que se rellene una de estas: {others}",
    wrong="Este valor no es posible",
    above="Un número mayor que {bound}, con dos decimales como máximo.",
    at_least="Un número mayor o igual que {bound}, con dos decimales como máximo.",
    rate="Un tipo de {least} a {most}: escriba 20 para un 20 %.",
    whole="Un número entero mayor o igual que {least}.",
    days="Un número entero de días, de {least} a {most}.",
    choose="Elija un valor de la lista.",
    more_choices="… {count} en total: véase el desplegable",
)

WORDS: Mapping[Language, Words] = {"en": EN, "fr": FR, "es": ES}


def about_feed(feed: Feed, language: Language) -> About:
    """What a feed is for; a new kind without words of its own has its summary."""
    return WORDS[language].about.get(feed.kind, About(feed.kind, feed.summary))
