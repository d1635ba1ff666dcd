"""What a template for products says beside its columns, in each language.

Placeholders in braces are filled where a text is used.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from feedtool.templates import Language


@dataclass(frozen=True, slots=True)
class ProductWords:
    """One language."""

    title: str
    rows: str
    """What each row does."""
    categories: str
    """The heading above what the workbook was made for."""
    synced: str
    unfinished: str
    """Of a catalogue that was never brought to its end."""
    open_sheet: str
    marks: str
    example_row: str
    keys: str
    several: str
    pictures: str
    variants: str
    """Only where a category has variants."""
    mandatory: str
    mandatory_in: str
    partly: str
    """Mandatory in some of the categories."""
    recommended_in: str
    only_in: str
    """Of a property that not every category has."""
    only_there: str
    of_variants: str
    """Of a column that only members of a family fill."""
    choice: str
    choices: str
    first_choices: str
    """Where a dropdown cannot show all."""
    number: str
    numbers: str
    text: str
    texts: str
    file: str
    files: str
    unit: str
    not_a_number: str


EN = ProductWords(
    title="Create or complete products",
    rows=(
        "Each row creates a product, or completes the one that has this GTIN already. What is "
        "known of it may be kept instead of what the row says."
    ),
    categories="Made for",
    synced="Catalogue of {date}. When it has changed since, feedtool says what is different.",
    unfinished="The catalogue was not complete when this workbook was made.",
    open_sheet=(
        "Open the sheet “{sheet}” and fill one row per product, below the header. Empty rows are "
        "skipped."
    ),
    example_row="The row above the header is an example; it is never sent.",
    marks=(
        "Columns marked * are mandatory: without them no product is created. Those marked + are "
        "recommended."
    ),
    keys=(
        "The hidden row 2 holds the technical names of the columns: leave it as it is. You may "
        "move columns, remove optional ones and add your own; a column that is not known is kept "
        "and not sent."
    ),
    several="Where several values are possible, separate them by a semicolon: Red;Blue.",
    pictures="A picture or file is given by its address on the web, which begins with https.",
    variants=(
        "Variants are products that differ by size and colour only: give all of a family the same "
        "variant group, and each its size and colour. Leave these columns empty otherwise."
    ),
    mandatory="Mandatory",
    partly="Mandatory in some categories",
    mandatory_in="Mandatory in {codes}",
    recommended_in="Recommended in {codes}",
    only_in="Only in {codes}",
    only_there="only there",
    of_variants="mandatory for variants",
    choice="One of the list.",
    choices="One or several of the list, separated by a semicolon.",
    first_choices="The list shows the first {count}; further ones can be typed.",
    number="A number.",
    numbers="One or several numbers, separated by a semicolon.",
    text="A text.",
    texts="One or several texts, separated by a semicolon.",
    file="The web address (https) of a file: {types}.",
    files="One or several web addresses (https) of files, separated by a semicolon: {types}.",
    unit="Unit: {unit}, which is not typed.",
    not_a_number="A number alone, without a unit.",
)

FR = ProductWords(
    title="Créer ou compléter des produits",
    rows=(
        "Chaque ligne crée un produit, ou complète celui qui porte déjà ce GTIN. Ce que l'on sait "
        "déjà du produit peut l'emporter sur ce que dit la ligne."
    ),
    categories="Établi pour",
    synced="Catalogue du {date}. S'il a changé depuis, feedtool dit ce qui est différent.",
    unfinished="Le catalogue n'était pas complet quand ce classeur a été établi.",
    open_sheet=(
        "Ouvrez la feuille « {sheet} » et remplissez une ligne par produit, sous l'en-tête. Les "
        "lignes vides sont ignorées."
    ),
    example_row="La ligne au-dessus de l'en-tête est un exemple ; elle n'est jamais envoyée.",
    marks=(
        "Les colonnes marquées * sont obligatoires : sans elles, aucun produit n'est créé. Celles "
        "marquées + sont recommandées."
    ),
    keys=(
        "La ligne 2, masquée, contient le nom technique des colonnes : ne la modifiez pas. Vous "
        "pouvez déplacer des colonnes, supprimer celles qui sont facultatives et ajouter les "
        "vôtres ; une colonne inconnue est conservée, mais n'est pas envoyée."
    ),
    several=(
        "Là où plusieurs valeurs sont possibles, séparez-les par un point-virgule : Rouge;Bleu."
    ),
    pictures="Une image ou un fichier se donne par son adresse web, qui commence par https.",
    variants=(
        "Les variantes sont des produits qui ne diffèrent que par la taille et la couleur : donnez "
        "à toute la famille le même groupe de variantes, et à chacune sa taille et sa couleur. "
        "Sinon, laissez ces colonnes vides."
    ),
    mandatory="Obligatoire",
    partly="Obligatoire dans certaines catégories",
    mandatory_in="Obligatoire dans {codes}",
    recommended_in="Recommandé dans {codes}",
    only_in="Seulement dans {codes}",
    only_there="et seulement là",
    of_variants="obligatoire pour les variantes",
    choice="Une valeur de la liste.",
    choices="Une ou plusieurs valeurs de la liste, séparées par un point-virgule.",
    first_choices="La liste montre les {count} premières ; les autres peuvent être saisies.",
    number="Un nombre.",
    numbers="Un ou plusieurs nombres, séparés par un point-virgule.",
    text="Un texte.",
    texts="Un ou plusieurs textes, séparés par un point-virgule.",
    file="L'adresse web (https) d'un fichier : {types}.",
    files="Une ou plusieurs adresses web (https) de fichiers, séparées par un point-virgule : "
    "{types}.",
    unit="Unité : {unit}, à ne pas saisir.",
    not_a_number="Un nombre seul, sans unité.",
)

ES = ProductWords(
    title="Crear o completar productos",
    rows=(
        "Cada fila crea un producto o completa el que ya tiene este GTIN. Lo que ya se sabe del "
        "producto puede conservarse en lugar de lo que dice la fila."
    ),
    categories="Hecho para",
    synced="Catálogo del {date}. Si ha cambiado desde entonces, feedtool dice qué es distinto.",
    unfinished="El catálogo no estaba completo cuando se hizo este libro.",
    open_sheet=(
        "Abra la hoja «{sheet}» y rellene una fila por producto, debajo del encabezado. Las filas "
        "vacías se omiten."
    ),
    example_row="La fila encima del encabezado es un ejemplo; nunca se envía.",
    marks=(
        "Las columnas marcadas con * son obligatorias: sin ellas no se crea ningún producto. Las "
        "marcadas con + son recomendadas."
    ),
    keys=(
        "La fila 2, oculta, contiene el nombre técnico de las columnas: no la modifique. Puede "
        "mover columnas, eliminar las opcionales y añadir las suyas; una columna desconocida se "
        "conserva, pero no se envía."
    ),
    several="Donde son posibles varios valores, sepárelos con punto y coma: Rojo;Azul.",
    pictures="Una imagen o un archivo se da por su dirección web, que empieza por https.",
    variants=(
        "Las variantes son productos que solo difieren en talla y color: dé a toda la familia el "
        "mismo grupo de variantes, y a cada una su talla y su color. En los demás casos, deje "
        "vacías estas columnas."
    ),
    mandatory="Obligatorio",
    partly="Obligatorio en algunas categorías",
    mandatory_in="Obligatorio en {codes}",
    recommended_in="Recomendado en {codes}",
    only_in="Solo en {codes}",
    only_there="y solo allí",
    of_variants="obligatorio para las variantes",
    choice="Un valor de la lista.",
    choices="Uno o varios valores de la lista, separados con punto y coma.",
    first_choices="La lista muestra los {count} primeros; los demás se pueden escribir.",
    number="Un número.",
    numbers="Uno o varios números, separados con punto y coma.",
    text="Un texto.",
    texts="Uno o varios textos, separados con punto y coma.",
    file="La dirección web (https) de un archivo: {types}.",
    files="Una o varias direcciones web (https) de archivos, separadas con punto y coma: {types}.",
    unit="Unidad: {unit}, que no se escribe.",
    not_a_number="Solo un número, sin unidad.",
)

PRODUCT_WORDS: Mapping[Language, ProductWords] = {"en": EN, "fr": FR, "es": ES}
