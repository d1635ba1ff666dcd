"""What a workbook of rows to correct says of itself on its first sheet, in each language."""

from collections.abc import Mapping
from dataclasses import dataclass

from feedtool.templates import Language


@dataclass(frozen=True, slots=True)
class FailedWords:
    """One language; placeholders in braces are filled where a text is used."""

    heading: str
    origin: str
    how: str
    row: str
    """Of the column that names the rows of the original."""
    further: str
    """Of a column that the template does not have."""


EN = FailedWords(
    heading="To correct",
    origin="The rows of {file} that were not taken in run {run}, as they were sent.",
    how="What is wrong stands on the right, in the three last columns, and the cells to look at are"
    " coloured. Correct them, delete the rows that are not to be sent, and send this workbook as it"
    " is: nothing else of {file} is sent again.",
    row="The row of {file} that this one corrects: leave it as it is.",
    further="A column of {file}, as it was there.",
)
FR = FailedWords(
    heading="À corriger",
    origin="Les lignes de {file} qui n'ont pas été prises à l'exécution {run}, telles qu'elles ont"
    " été envoyées.",
    how="Ce qui ne va pas se trouve à droite, dans les trois dernières colonnes, et les cellules"
    " concernées sont colorées. Corrigez-les, supprimez les lignes à ne pas envoyer, puis envoyez"
    " ce classeur tel quel : rien d'autre de {file} n'est renvoyé.",
    row="La ligne de {file} que celle-ci corrige : laissez-la telle quelle.",
    further="Une colonne de {file}, telle qu'elle y était.",
)
ES = FailedWords(
    heading="Por corregir",
    origin="Las filas de {file} que no se aceptaron en la ejecución {run}, tal como se enviaron.",
    how="Lo que falla está a la derecha, en las tres últimas columnas, y las celdas afectadas están"
    " coloreadas. Corríjalas, elimine las filas que no deban enviarse y envíe este libro tal cual:"
    " no se vuelve a enviar nada más de {file}.",
    row="La fila de {file} que esta corrige: déjela como está.",
    further="Una columna de {file}, tal como estaba allí.",
)

FAILED_WORDS: Mapping[Language, FailedWords] = {"en": EN, "fr": FR, "es": ES}
