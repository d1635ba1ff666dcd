"""`feedtool.toml`: what it may say, and the clear word for everything else."""

from decimal import Decimal

import pytest

from feedtool.areas.legacy.settings import LegacySettings
from feedtool.areas.offers.settings import OfferSettings
from feedtool.model.call import Budget
from feedtool.model.errors import UsageProblem
from feedtool.model.limits import ReadingLimits
from feedtool.model.settings import AccountSettings, Bounds, PackageLimits
from feedtool.runs.config import Config, PageRights, load
from tests.conftest import Files

WHOLE = """
[defaults]
language = "fr"

[profile.shop]
base_url = "https://seller.example/v2"
seller = "12345"
channel = "PRIMARY"
token_file = "/run/secrets/token"
upload_body = "offerRequests"
vat_scale = 1
gtin_as = "number"
delivery_modes = ["TrackedHomeDelivery", "Relay"]
conditions = ["New"]
currencies = ["CHF", "Fr."]
csv_fallback = "cp1250"
mandatory_mode = "Relay"
tax_codes = { EcoPart = "Ecotax" }
legacy_modes = { Relay = "RelayDelivery" }
legacy_conditions = { Antique = "7" }
recipes = "own"

[profile.shop.columns]
"Mon EAN" = "product.gtin"

[profile.shop.default]
preparationTime = 2

[profile.shop.bounds]
highest_price = 1000
longest_preparation = 30

[profile.shop.limits]
upload = 50

[profile.shop.reading]
part = 4294967296
parts = 100

[profile.other]
budget = "operator-eu"

[budgets.operator-eu]
per_second = 20
burst = 5

[budgets.slow]
per_second = 0.5

[page.users."anna@example.org"]
profiles = ["shop", "sandbox"]
may = ["check", "send"]

[page.users.zoe]
profiles = "*"
"""


def loaded(files: Files, text: str) -> Config:
    return load(files.text(text, "feedtool.toml"))


def test_all_of_it(files: Files) -> None:
    config = loaded(files, WHOLE)
    assert config.defaults == {"language": "fr"}
    assert list(config.profiles) == ["shop", "other"]
    profile = config.profile("shop")
    assert profile.account == {
        "base_url": "https://seller.example/v2",
        "seller": "12345",
        "channel": "PRIMARY",
        "token_file": "/run/secrets/token",
    }
    assert profile.dialect == AccountSettings(
        gtin_as="number",
        conditions=("New",),
        currencies=("CHF", "Fr."),
        csv_fallback="cp1250",
        mandatory_mode="Relay",
        columns={"Mon EAN": "product.gtin"},
        bounds=Bounds(highest_price=Decimal(1000), longest_preparation=30),
        limits=PackageLimits(upload=50),
        reading=ReadingLimits(part=1 << 32, parts=100),
        records=(
            OfferSettings(
                upload_body="offerRequests",
                vat_scale=1,
                delivery_modes=("TrackedHomeDelivery", "Relay"),
                tax_codes={"VAT": "VAT", "EcoPart": "Ecotax", "DEA": "DEA"},
            ),
            LegacySettings(
                legacy_modes={
                    **LegacySettings().legacy_modes,
                    "Relay": "RelayDelivery",
                },
                legacy_conditions={
                    **LegacySettings().legacy_conditions,
                    "Antique": "7",
                },
            ),
        ),
    )
    assert (profile.recipes, profile.default) == (files.folder / "own", {"preparationTime": 2})
    for empty in (config.profile("other"), config.profile(None), load(None).profile(None)):
        assert (empty.account, empty.dialect) == ({}, AccountSettings())
    assert config.profile("other").budget == Budget("operator-eu", 20, 5)
    assert (profile.budget, config.budgets["slow"]) == (None, Budget("slow", 0.5, 1))
    assert config.users_of_page() == {
        "anna@example.org": PageRights(("shop", "sandbox"), ("check", "send")),
        "zoe": PageRights(("*",)),
    }


def test_the_first_place_that_has_one_counts(files: Files) -> None:
    near = files.text('[defaults]\nlanguage = "fr"\n', "near.toml")
    far = files.text('[defaults]\nlanguage = "es"\n', "far.toml")
    nowhere = files.folder / "nowhere.toml"
    assert load(None, (nowhere, far, near)).path == far
    assert load(near, (far,)).path == near
    assert load(None, (nowhere,)) == Config()


def test_a_mark_of_notepad_at_the_start_does_not_count(files: Files) -> None:
    path = files.text('\ufeff[defaults]\nlanguage = "fr"\n', "marked.toml")
    assert load(path, ()).path == path


ABSURD = {
    f"x = {'9' * 5000}": "a number has too many digits",
    f"vat_scale = 0x{'f' * 5000}": "a number has too many digits",
    f"guards.x = [{{y = {1 << 63}}}]": "a number has too many digits",
    "x = " + "[" * 100_000: "its brackets are nested too deeply",
    "x." * 50_000 + "y = 1": "a name has too many parts",
}
"""Lines that are refused before what they say is looked at."""
REFUSED = {
    "^[profile": "cannot be read",
    **ABSURD,
    "^[profiles.shop]": "“profiles”",
    "seller_" + "x" * 1000 + " = 1": "nobody knows “seller_" + "x" * 72 + "…”",
    "csv_fallback = [" + "1," * 1000 + "]": "… must be a text",
    "selller = '1'": "“selller”",
    "bounds.price = 1": "“price”",
    "seller = 12345": "seller must be a text",
    "^profile = 1": "profile must be a table",
    "^[profile]\nshop = 1": "shop must be a table",
    "upload_body = 'list'": "upload_body",
    'legacy_transport = "ftp"': "legacy_transport",
    'legacy_transport = "url"\nlegacy_address = "https://a.example"': "legacy_folder",
    'legacy_transport = "url"\nlegacy_folder = "/srv/offers"': "legacy_address",
    'legacy_transport = "url"\nlegacy_folder = "x"\nlegacy_address = "a"': "legacy_address",
    "vat_scale = 10": "vat_scale",
    "delivery_modes = 'Relay'": "a list of texts",
    "currencies = [true]": "a list of texts",
    "bounds.highest_price = true": "a number",
    "bounds.highest_price = nan": "a number",
    "bounds.longest_preparation = 1.5": "a whole number",
    "limits.upload = true": "a whole number",
    "limits.upload = 0": "limits",
    "reading.parts = 0": "[reading]",
    "csv_fallback = 1252": "a text",
    "invoice_name = '.*[.]pdf'": "invoice_name",
    "invoice_name = '(.*'": "invoice_name",
    "csv_fallback = 'cp9999'": "cp9999",
    "columns = []": "a table",
    "tax_codes.VAT = 1": "VAT",
    "legacy_conditions.New = 6": "texts",
    "tax_codes.TVA = 'VAT'": "TVA",
    "report_page_size = 'all'": "a whole number",
    "vat_rate = -100": "vat_rate = -100 is not a rate of VAT",
    "vat_rate = 101": "vat_rate = 101 is not a rate of VAT",
    'accounts.clearing = ""': "each of its accounts",
    'journal = ""': "the journal",
    "batch_pause = -1": "batch_pause",
    "batch_pause = 99999999999": "batch_pause",
    "operator_category = '1C'": "operator_category",
    "operator_notes = -1": "operator_notes",
    "call_timeout = 0": "a number of seconds",
    "call_timeout = inf": "a number of seconds",
    "call_timeout = true": "a number of seconds",
    "token = 314": "token must be a text",
    'changed_only = "yes"': "is neither yes nor no",
    "guards.removals = -1": "a guard below 0",
    "guards.price_factor = 0.5": "must be above 1",
    "guards.price_factr = 5": "“price_factr”",
    "mandatory_mode = 1": "mandatory_mode",
    "recipes = 1": "recipes must be a folder",
    "default.quantity = [1]": "quantity = [1] is neither text nor a number",
    "default.quantity = 2026-11-20": "quantity = 2026-11-20 is neither text nor a number",
    "default.quantity = nan": "quantity = nan is neither text nor a number",
    "default = 2": "default must be a table",
    "budget = 'operator'": "there is no budget “operator”",
    "budget = ['operator']": "there is no budget",
    "^budgets = 1": "budgets must be a table",
    "^[budgets]\nslow = 1": "slow must be a table",
    "^[budgets.slow]": "slow: per_second is missing",
    "^[budgets.slow]\nper_hour = 9": "nobody knows “per_hour”",
    "^[budgets.slow]\nper_second = 0": "per_second = 0 is not possible",
    "^[budgets.slow]\nper_second = nan": "per_second = nan is not possible",
    "^[budgets.slow]\nper_second = '9'": "per_second = '9' is not possible",
    "^[budgets.slow]\nper_second = true": "per_second = True is not possible",
    "^[budgets.slow]\nper_second = 9\nburst = 0": "burst = 0 is not possible",
    "^[budgets.slow]\nper_second = 9\nburst = 1.5": "burst = 1.5 is not possible",
    "^[page]\nuser = 1": "“user”",
    "^[page]\nusers = 1": "users must be a table",
    "^[page.users]\nanna = 1": "anna must be a table",
    "^[page.users.anna.doe]": "“doe”",
    "^[page.users.anna]\nprofiles = 'shop'": "a list of texts",
    "^[page.users.anna]\nprofiles = [1]": "a list of texts",
    "^[page.users.anna]\nmay = '*'": "may: nobody knows “*”",
    "^[page.users.anna]\nmay = ['look']": "may: nobody knows “look”",
}
"""Lines of a profile, or after ^ of the file, and what is said of them."""


@pytest.mark.parametrize(("text", "said"), REFUSED.items(), ids=[text[:40] for text in REFUSED])
def test_everything_else_is_refused_with_a_clear_word(files: Files, text: str, said: str) -> None:
    with pytest.raises(UsageProblem) as raised:
        loaded(files, text[1:] if text.startswith("^") else f"[profile.shop]\n{text}\n")
    assert said in raised.value.message
    assert "feedtool.toml" in raised.value.message
    assert raised.value.hint
    assert "314" not in f"{raised.value.message} {raised.value.hint}", "a secret"


def test_users_of_the_page_see_no_profile_that_is_not_there(files: Files) -> None:
    config = loaded(files, "[profile.shop]\n[page.users.anna]\nprofiles = ['shopp']\n")
    with pytest.raises(UsageProblem, match="anna: profiles: nobody knows “shopp”") as raised:
        config.users_of_page()
    assert "shop" in raised.value.hint


def test_the_error_of_an_unknown_profile_lists_the_known_ones(files: Files) -> None:
    with pytest.raises(UsageProblem) as raised:
        loaded(files, WHOLE).profile("shopp")
    assert "shop, other" in raised.value.hint
    with pytest.raises(UsageProblem) as raised:
        load(None).profile("shop")
    assert "feedtool.toml" in raised.value.message


UNREAD = {
    "there is none": (None, "No such file", "--config"),
    "no UTF-8": ("[defaults]\n# caf\xe9\n".encode("latin-1"), "not UTF-8", "UTF-8"),
    "no TOML": (b"[profile", "not TOML", "correct"),
}


@pytest.mark.parametrize(("content", "said", "hint"), UNREAD.values(), ids=UNREAD)
def test_a_file_that_cannot_be_read(
    files: Files, content: bytes | None, said: str, hint: str
) -> None:
    path = files.folder / "shops.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageProblem) as raised:
        load(path, ())
    assert said in raised.value.message
    assert "Errno" not in raised.value.message
    assert hint in raised.value.hint
