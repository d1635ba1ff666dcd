"""Find the sheets of a file that a merchant's recipe fits, and apply the recipe."""

from collections.abc import Sequence
from itertools import chain, groupby, pairwise, starmap
from pathlib import Path
from typing import Any, cast

from msgspec import Struct

from feedtool.check.headers import (
    SEARCHED,
    HeaderNotFound,
    SheetAmbiguous,
    TextRow,
    header_texts,
    joined_rows,
)
from feedtool.check.kinds import HeaderMissing, recognise
from feedtool.check.read_options import ReadOptions
from feedtool.check.recipes.apply import apply
from feedtool.check.recipes.join import JoinedSheet
from feedtool.check.recipes.recipe import Recipe
from feedtool.check.recipes.sheet import RecipeSheet
from feedtool.feeds.feed import Feed
from feedtool.model.cells import Column, Header, folded
from feedtool.model.errors import UsageProblem
from feedtool.model.text import did_you_mean, in_quotes, joined, plural, tr
from feedtool.sheets import Sheet, Source

NEAR, HALF = 3, 2
"""A recipe nearly fits a sheet that lacks at most one in so many of its headers."""


class Chosen(Struct, frozen=True):
    """A sheet to read, with its kind and recipe."""

    sheet: Sheet
    header: Header
    feed: Feed
    reason: str
    is_certain: bool
    """True if rows without an `action` are of this kind."""
    recipe: Recipe | None = None
    fields: Sequence[str] = ()
    """The keys whose values a recipe or defaults make, and not one column."""
    defaults: Sequence[str] = ()
    """The keys among these that only have a default of the command or the account."""
    joined: Sequence[JoinedSheet] = ()
    """The sheets joined by its recipe."""

    @property
    def made(self) -> RecipeSheet | None:
        """The sheet, if a recipe or defaults make some of its columns; else None."""
        return cast(RecipeSheet, self.sheet) if self.recipe or self.fields else None

    def described(self) -> str:
        """Return the reason for its kind, and the effect of its recipe.

        Raises JoinUnusable if too few rows are in a joined sheet.
        """
        count = len(self.fields) - len(self.defaults)
        parts = [self.reason]
        if self.recipe:
            parts.append(plural("{count} field from it", "{count} fields from it", count))
        if count := len(self.defaults):
            parts.append(
                plural("{count} field from defaults", "{count} fields from defaults", count)
            )
        return joined((*parts, *(sheet.outcome() for sheet in self.joined)), "; ")

    def recipe_facts(self) -> dict[str, Any] | None:
        """Return the facts about its recipe and defaults for JSON; None without either."""
        if not (self.recipe or self.fields):
            return None
        path = self.recipe and self.recipe.path
        return {
            "name": self.recipe and self.recipe.name,
            "path": path and str(path),
            "fields": [key for key in self.fields if key not in self.defaults],
            "defaults": list(self.defaults),
            "joins": [joined.as_json() for joined in self.joined],
        }


class RecipeSelection:
    """The possible recipes for a file, and the sheets that they fit."""

    def __init__(
        self, source: Source, options: ReadOptions, families: Sequence[Sequence[Feed]], file: str
    ) -> None:
        self._source, self._options, self._file = source, options, file
        self._families = families
        self._recipes: dict[bool, list[Recipe]] = {}
        """The recipes read so far: under True those for any sheet, under False the others."""

    def sheets(self, names: Sequence[str], *, is_wanted: bool) -> list[Chosen]:
        """Return the sheets that recipes fit: recipes for any sheet, or the others.

        The first folder with a fitting recipe wins.

        Raises:
            UsageProblem: two recipes fit a sheet equally well, or a recipe is of another kind than
                the user chose.
            HeaderNotFound: a recipe that the user chose fits no sheet.
            SheetAmbiguous: a recipe fits several sheets, and does not name one.
            HeaderMissing: the sheet lacks a field that the recipe's kind needs.
        """
        recipes = self._read(is_wanted=is_wanted)
        if not recipes:
            return []
        chosen = []
        for name in names:
            head = self._head(name)
            for _, group in groupby(recipes, key=lambda recipe: recipe.path and recipe.path.parent):
                if fitting := self._fitting(list(group), name, head):
                    chosen.append(self._with_recipe(*fitting, name))
                    break
        unfit = next((recipe for recipe in recipes if recipe.must_fit), None)
        if unfit and not chosen:
            raise self._no_fit(unfit, *self._likeliest_row(unfit, names))
        self._check_unambiguous(chosen)
        return chosen

    def _read(self, *, is_wanted: bool) -> Sequence[Recipe]:
        """Return the recipes, which are read when the first sheet needs them."""
        if is_wanted not in self._recipes:
            kind = self._options.kind
            self._recipes[is_wanted] = [
                recipe
                for recipe in self._options.recipes.recipes(Path(self._file), is_wanted=is_wanted)
                if recipe.must_fit or kind in {None, recipe.file.match.kind}
            ]
        return self._recipes[is_wanted]

    def nearly_fitting(self, names: Sequence[str], most: int) -> HeaderNotFound | None:
        """Return the error with the headers that a sheet lacks for a recipe, at most one in `most`.

        A sheet with a renamed header should not be taken for another sheet. Recipes that no sheet
        has needed so far are left out.
        """
        for recipe in chain.from_iterable(self._recipes.values()):
            if self._options.kind and not recipe.is_wanted:
                continue  # the user chose the kind
            name, row, missing = self._likeliest_row(recipe, names)
            if missing and most * len(missing) <= len(recipe.headers):
                return self._no_fit(recipe, name, row, missing)
        return None

    def _check_unambiguous(self, chosen: Sequence[Chosen]) -> None:
        """Raise SheetAmbiguous if a recipe fits several sheets, and does not name sheets."""
        for recipe in chain.from_iterable(self._recipes.values()):
            sheets = [item.sheet.name for item in chosen if item.recipe is recipe]
            if len(sheets) > 1 and recipe.file.match.sheet is None:
                raise SheetAmbiguous(
                    tr(
                        "recipe {name} fits several sheets: {sheets}",
                        name=recipe.name,
                        sheets=joined(sheets),
                    ),
                    tr(
                        "name one of them with --sheet, or those that are meant in {recipe}, as in"
                        ' [match] sheet = "Tarif*"',
                        recipe=recipe.shown,
                    ),
                )

    def _head(self, name: str) -> list[TextRow]:
        """Return the candidates for the header: single rows, then pairs of adjacent rows."""
        head = self._source.sheet(name).head(SEARCHED)
        rows = [TextRow(row.number, header_texts(row.cells)) for row in head]
        pairs = (pair for pair in pairwise(rows) if pair[0].row + 1 == pair[1].row)
        return [*rows, *starmap(joined_rows, pairs)]

    def _fitting(
        self, recipes: Sequence[Recipe], name: str, head: Sequence[TextRow]
    ) -> tuple[Recipe, TextRow] | None:
        """Return the recipe that fits a sheet by the most headers, with the header row."""
        full_names = [entry.full_name for entry in self._source.sheets if entry.name == name]
        fitting = [
            (recipe, row)
            for recipe in recipes
            for called in dict.fromkeys((name, *filter(None, full_names)))
            if (row := next((row for row in head if recipe.fits(called, row.texts.values())), None))
        ]
        best = max((len(recipe.headers) for recipe, _ in fitting), default=0)
        fitting = [pair for pair in fitting if len(pair[0].headers) == best]
        if len(fitting) > 1:
            both = joined((recipe.shown for recipe, _ in fitting), "; ")
            raise UsageProblem(
                tr(
                    "several recipes fit {file} equally well: {recipes}",
                    file=self._file,
                    recipes=both,
                ),
                tr("name one of them with --recipe, or add one more header to the [match] of one"),
            )
        return fitting[0] if fitting else None

    def _with_recipe(self, recipe: Recipe, row: TextRow, name: str) -> Chosen:
        context, kind = self._options.context, recipe.file.match.kind
        if self._options.kind not in {None, kind}:
            raise UsageProblem(
                tr(
                    "recipe {name} is of {kind}, and --as says {other}",
                    name=recipe.name,
                    kind=kind,
                    other=self._options.kind,
                ),
                tr("leave --as out, or name another recipe"),
            )
        kinds = [feed.kind for family in self._families for feed in family]
        if kind not in kinds:
            place = recipe.place("match", "kind")
            message = tr("{place}: there is no kind of feed “{kind}”", place=place, kind=kind)
            raise UsageProblem(message, did_you_mean(kind, kinds))
        family = next(family for family in self._families if kind in {feed.kind for feed in family})
        applied = apply(
            recipe,
            *row,
            family[0],
            self._source.sheet(name),
            context,
            self._options.defaults,
            self._source,
            lambda name: self._options.recipes.joined(recipe, name, Path(self._file)),
        )
        try:
            recognised = recognise(
                applied.header, family, context, name, requested=kind, stamp=None
            )
        except HeaderMissing as error:
            error.begin_with(tr("recipe {name}", name=recipe.name))
            error.hint = tr(
                "add a column, an expression or a default to {recipe}", recipe=recipe.shown
            )
            from feedtool.check.mapping.explanation import explain_missing

            explain_missing(error, self._source, name, self._file, self._known(kind))
            raise
        if recognised is None:
            raise ValueError("a kind that is wanted is recognised, or raises")
        self._options.recipes.note_use(recipe, Path(self._file))
        return Chosen(
            applied.sheet,
            applied.header,
            recognised.feed,
            tr("recipe {name}", name=recipe.name),
            is_certain=True,
            recipe=recipe,
            fields=applied.fields,
            defaults=applied.defaults,
            joined=applied.joined,
        )

    def _known(self, kind: str) -> dict[str, Column]:
        """Return the columns of a kind of feed by key; none for an unknown kind."""
        feeds = (feed for family in self._families for feed in family if feed.kind == kind)
        feed = next(feeds, None)
        columns = feed.sheet.understood(self._options.context.settings) if feed else ()
        return {column.key: column for column in columns}

    def _likeliest_row(
        self, recipe: Recipe, names: Sequence[str]
    ) -> tuple[str, TextRow, list[str]]:
        """Return the sheet and row that lacks the fewest headers of a recipe, and these headers."""
        rows = [
            (name, row, recipe.lacking(row.texts.values()))
            for name in names
            for row in self._head(name)
        ]
        likeliest = min(rows, key=lambda item: (len(item[2]), -len(item[1].texts)), default=None)
        return likeliest or ("", TextRow(1, {}), [*recipe.headers])

    def _no_fit(
        self, recipe: Recipe, name: str, row: TextRow, lacks: Sequence[str]
    ) -> HeaderNotFound:
        """Return the error of a recipe that fits no sheet: missing headers, and the new ones."""
        from feedtool.check.mapping.explanation import explain_renamed, guessed_headers

        file = recipe.file
        keys = (header for join in file.join.values() for header in join.key)
        known = set(map(folded, (*file.columns, *file.names.values(), *keys, *recipe.headers)))
        new = [text for text in row.texts.values() if folded(text) not in known]
        why = tr("no sheet has the name it asks for")
        if lacks:
            columns = self._known(file.match.kind)
            guesses = guessed_headers(self._source, name, row.row, new, columns)
            fields = {folded(header): str(key) for header, key in file.columns.items() if key}
            meant = {header: fields.get(folded(header)) for header in lacks}
            why = tr(
                "row {row} lacks {headers}",
                row=row.row,
                headers=explain_renamed(meant, new, guesses),
            )
        if new:
            headers = joined(map(in_quotes, new))
            why = tr("{text}; new there: {headers}", text=why, headers=headers)
        return HeaderNotFound(
            tr("recipe {name} does not fit: {reason}", name=recipe.name, reason=why),
            tr(
                "correct the sheet's header, or the recipe {recipe}; or for a new recipe type:"
                " feedtool map {file}",
                recipe=recipe.shown,
                file=self._file,
            )
            if recipe.is_wanted
            else tr(
                "correct the sheet's header, or the recipe {recipe}; if the sheet is another, say"
                " what it is with --as, or for a new recipe type: feedtool map {file}",
                recipe=recipe.shown,
                file=self._file,
            ),
        )
