"""Which recipe fits a sheet, and the sheet as that recipe makes it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from feedtool.check.headers import HeaderNotFound, Texts, header_texts
from feedtool.check.kinds import HeaderMissing, recognise
from feedtool.check.read_options import ReadOptions
from feedtool.check.recipes.apply import apply, fits, lacking
from feedtool.check.recipes.join import JoinedSheet
from feedtool.check.recipes.recipe import Recipe, did_you_mean
from feedtool.feeds.feed import Feed
from feedtool.model.errors import UsageProblem
from feedtool.model.header import Header, folded
from feedtool.sheets import Sheet, Source

SEARCHED = 40
"""Non-blank rows among which the header is looked for."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A sheet that will be read, and as what."""

    sheet: Sheet
    header: Header
    feed: Feed
    reason: str
    is_certain: bool
    """True if rows without an `action` are of this kind."""
    joined: Sequence[JoinedSheet] = ()
    """The sheets that its recipe joins."""


class RecipeSelection:
    """The recipes that may be meant for a file, and which of its sheets each fits."""

    def __init__(
        self, source: Source, options: ReadOptions, families: Sequence[Sequence[Feed]], file: str
    ) -> None:
        self._source, self._options, self._families = source, options, families
        self._file = file
        self.recipes = options.recipes.recipes(Path(file))

    def nearly_fitting(self, names: Sequence[str]) -> HeaderNotFound | None:
        """The error that says which headers a recipe lacks, where it nearly fits a sheet."""
        for recipe in self.recipes:
            count = len(recipe.file.match.headers)
            _, missing = self._likeliest_row(recipe, names)
            if missing and 2 * len(missing) <= count:
                return self._no_recipe_fits(recipe, names)
        return None

    def sheets(self, names: Sequence[str], *, is_wanted: bool) -> list[Chosen]:
        """The sheets that recipes fit.

        Raises:
            UsageProblem: two recipes fit a sheet equally well, or one that was named fits none.
            HeaderMissing: a field is missing that the recipe's kind needs.
        """
        recipes = [found for found in self.recipes if found.is_wanted is is_wanted]
        if not recipes:
            return []
        chosen = []
        for name in names:
            head = [
                Texts(row.number, header_texts(row.cells))
                for row in self._source.sheet(name).head(SEARCHED)
            ]
            fitting = [
                (recipe, row)
                for recipe in recipes
                if (row := next((row for row in head if fits(recipe, name, row.texts)), None))
            ]
            best = max((len(recipe.file.match.headers) for recipe, _ in fitting), default=0)
            fitting = [pair for pair in fitting if len(pair[0].file.match.headers) == best]
            if len(fitting) > 1:
                both = " and ".join(str(recipe.path or recipe.name) for recipe, _ in fitting)
                raise UsageProblem(
                    f"several recipes fit {self._file}: {both}", "name one of them with --recipe"
                )
            chosen += [self._with_recipe(recipe, name, row) for recipe, row in fitting]
        unfit = next((recipe for recipe in recipes if recipe.must_fit), None)
        if unfit and not chosen:
            raise self._no_recipe_fits(unfit, names)
        return chosen

    def _with_recipe(self, recipe: Recipe, name: str, row: Texts) -> Chosen:
        """A sheet as a recipe makes it."""
        context, kind = self._options.context, recipe.file.match.kind
        family = next(
            (family for family in self._families if kind in {feed.kind for feed in family}), None
        )
        if family is None:
            raise UsageProblem(
                f"{recipe.place('match', 'kind')}: there is no kind of feed “{kind}”",
                did_you_mean(kind, (feed.kind for family in self._families for feed in family)),
            )
        columns = family[0].understood(context.settings)
        applied = apply(
            recipe,
            *row,
            columns,
            self._source.sheet(name),
            context,
            self._options.defaults,
            lambda name: self._options.recipes.joined(recipe, name, Path(self._file)),
        )
        try:
            found = recognise(applied.header, family, context, name, wanted=kind, stamp=None)
        except HeaderMissing as error:
            error.message = f"recipe {recipe.name}: {error.message}"
            error.hint = f"add a column or a default to {recipe.path or recipe.name}"
            raise
        if found is None:
            raise ValueError("a kind that is wanted is recognised, or raises")
        count = len(set(applied.fields))
        reason = f"recipe {recipe.name}; {count} {'field' if count == 1 else 'fields'} from it"
        return Chosen(
            applied.sheet,
            applied.header,
            found.feed,
            reason,
            is_certain=True,
            joined=applied.joined,
        )

    def _likeliest_row(self, recipe: Recipe, names: Sequence[str]) -> tuple[Texts, list[str]]:
        """The row that lacks the fewest headers of a recipe, and which."""
        rows = [
            Texts(row.number, header_texts(row.cells))
            for name in names
            for row in self._source.sheet(name).head(SEARCHED)
        ]
        pairs = [(row, lacking(recipe, row.texts)) for row in rows]
        return min(pairs, key=lambda pair: len(pair[1]), default=(Texts(1, {}), []))

    def _no_recipe_fits(self, recipe: Recipe, names: Sequence[str]) -> HeaderNotFound:
        """Why a recipe that was named fits no sheet: the headers that its likeliest row lacks."""
        row, lacks = self._likeliest_row(recipe, names)
        missing = ", ".join(f"“{header}”" for header in lacks)
        known = set(map(folded, recipe.file.columns))
        new = ", ".join(f"“{text}”" for text in row.texts.values() if folded(text) not in known)
        return HeaderNotFound(
            f"recipe {recipe.name} does not fit: row {row.row} lacks {missing}"
            + (f"; new there: {new}" if new else ""),
            f"correct the sheet's header, or the recipe {recipe.path or recipe.name}",
        )
