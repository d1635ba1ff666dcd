"""What an exported workbook says of itself on its first sheet, in each language."""

from dataclasses import dataclass

from feedtool.templates import Language


@dataclass(frozen=True, slots=True)
class ExportWords:
    """One language; placeholders in braces are filled where a text is used."""

    heading: str
    origin: str
    of_channel: str
    stock: str
    """Of a file that has stock in it."""
    struck: str
    """Of a file that replaces whole offers."""
    shown: str
    """Of a column that is but shown."""


EN = ExportWords(
    heading="Exported",
    origin="From {service} on {at}.",
    of_channel="From {service}, sales channel {channel}, on {at}.",
    stock="Stock is what it was then, and may have been sold since: empty the cells that you do "
    "not change, and they stay as they are.",
    struck="The service does not give struck prices back: fill them again where there are any, "
    "since offers are replaced as a whole.",
    shown="As the service shows it; it is not sent.",
)
FR = ExportWords(
    heading="Exporté",
    origin="De {service}, le {at}.",
    of_channel="De {service}, canal de vente {channel}, le {at}.",
    stock="Le stock est celui de ce moment-là et a pu être vendu depuis : videz les cellules que "
    "vous ne changez pas, elles restent telles quelles.",
    struck="Le service ne rend pas les prix barrés : remplissez-les à nouveau s'il y en a, car les "
    "offres sont remplacées en entier.",
    shown="Tel que le service le montre ; n'est pas envoyé.",
)
ES = ExportWords(
    heading="Exportado",
    origin="De {service}, el {at}.",
    of_channel="De {service}, canal de venta {channel}, el {at}.",
    stock="Las existencias son las de ese momento y pueden haberse vendido desde entonces: vacíe "
    "las celdas que no cambie y quedarán como están.",
    struck="El servicio no devuelve los precios tachados: rellénelos de nuevo si los hay, porque "
    "las ofertas se sustituyen por completo.",
    shown="Tal como el servicio lo muestra; no se envía.",
)

EXPORT_WORDS: dict[Language, ExportWords] = {"en": EN, "fr": FR, "es": ES}
