"""`feedtool.toml`: what it may say, and the clear word for everything else."""

from decimal import Decimal

import pytest

from feedtool.model.errors import UsageProblem
from feedtool.model.limits import ReadingLimits
from feedtool.model.settings import AccountSettings, Bounds, PackageLimits
from feedtool.runs.config import Config, load
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

[profile.shop.columns]
"Mon EAN" = "product.gtin"

[profile.shop.bounds]
highest_price = 1000
longest_preparation = 30

[profile.shop.limits]
upload = 50

[profile.shop.reading]
part = 4294967296
parts = 100

[profile.other]
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
        upload_body="offerRequests",
        vat_scale=1,
        gtin_as="number",
        delivery_modes=("TrackedHomeDelivery", "Relay"),
        conditions=("New",),
        currencies=("CHF", "Fr."),
        csv_fallback="cp1250",
        mandatory_mode="Relay",
        tax_codes={"VAT": "VAT", "EcoPart": "Ecotax", "DEA": "DEA"},
        legacy_modes={**AccountSettings().legacy_modes, "Relay": "RelayDelivery"},
        legacy_conditions={**AccountSettings().legacy_conditions, "Antique": "7"},
        columns={"Mon EAN": "product.gtin"},
        bounds=Bounds(highest_price=Decimal(1000), longest_preparation=30),
        limits=PackageLimits(upload=50),
        reading=ReadingLimits(part=1 << 32, parts=100),
    )


def test_an_empty_profile_is_the_defaults(files: Files) -> None:
    profile = loaded(files, WHOLE).profile("other")
    assert (profile.account, profile.dialect) == ({}, AccountSettings())


def test_without_a_name_the_defaults_alone(files: Files) -> None:
    assert loaded(files, WHOLE).profile(None).dialect == AccountSettings()
    assert load(None).profile(None).dialect == AccountSettings()


def test_the_first_place_that_has_one_counts(files: Files) -> None:
    near = files.text('[defaults]\nlanguage = "fr"\n', "near.toml")
    far = files.text('[defaults]\nlanguage = "es"\n', "far.toml")
    nowhere = files.folder / "nowhere.toml"
    assert load(None, (nowhere, far, near)).path == far
    assert load(near, (far,)).path == near
    assert load(None, (nowhere,)) == Config()


REFUSED = {
    "no TOML": ("[profile", "cannot be read"),
    "an unknown table": ("[profiles.shop]\n", "“profiles”"),
    "an unknown field": ("[profile.shop]\nselller = '1'\n", "“selller”"),
    "an unknown bound": ("[profile.shop.bounds]\nprice = 1\n", "“price”"),
    "an unknown limit": ("[profile.shop.limits]\nuploads = 1\n", "“uploads”"),
    "a seller that is no text": ("[profile.shop]\nseller = 12345\n", "seller must be a text"),
    "profile is no table": ("profile = 1\n", "profile must be a table"),
    "a profile is no table": ("[profile]\nshop = 1\n", "shop must be a table"),
    "bounds are no table": ("[profile.shop]\nbounds = 1\n", "bounds must be a table"),
    "an impossible choice": ("[profile.shop]\nupload_body = 'list'\n", "upload_body"),
    "an impossible transport": (
        '[profile.shop]\nlegacy_transport = "ftp"\n',
        "legacy_transport",
    ),
    "an address without a folder": (
        '[profile.shop]\nlegacy_transport = "url"\nlegacy_address = "https://a.example"\n',
        "legacy_folder",
    ),
    "a folder without an address": (
        '[profile.shop]\nlegacy_transport = "url"\nlegacy_folder = "/srv/offers"\n',
        "legacy_address",
    ),
    "an address that is none": (
        '[profile.shop]\nlegacy_transport = "url"\nlegacy_folder = "x"\nlegacy_address = "a"\n',
        "legacy_address",
    ),
    "an impossible scale": ("[profile.shop]\nvat_scale = 10\n", "vat_scale"),
    "modes are no list": ("[profile.shop]\ndelivery_modes = 'Relay'\n", "a list of texts"),
    "modes are no texts": ("[profile.shop]\ndelivery_modes = [1]\n", "a list of texts"),
    "currencies are no texts": ("[profile.shop]\ncurrencies = [true]\n", "a list of texts"),
    "a bound is no number": ("[profile.shop.bounds]\nhighest_price = 'a'\n", "a number"),
    "a bound is a boolean": ("[profile.shop.bounds]\nhighest_price = true\n", "a number"),
    "a bound is no finite number": ("[profile.shop.bounds]\nhighest_price = nan\n", "a number"),
    "days are no whole number": (
        "[profile.shop.bounds]\nlongest_preparation = 1.5\n",
        "a whole number",
    ),
    "a limit is a boolean": ("[profile.shop.limits]\nupload = true\n", "a whole number"),
    "a limit is below one": ("[profile.shop.limits]\nupload = 0\n", "limits"),
    "an unknown limit of reading": (
        "[profile.shop.reading]\npart_size = 1\n",
        "“part_size”",
    ),
    "a limit of reading is a text": ("[profile.shop.reading]\npart = '2 GiB'\n", "a whole number"),
    "a limit of reading is below one": ("[profile.shop.reading]\nparts = 0\n", "[reading]"),
    "limits of reading are no table": ("[profile.shop]\nreading = 1\n", "reading must be a table"),
    "an encoding is no text": ("[profile.shop]\ncsv_fallback = 1252\n", "a text"),
    "an encoding that nobody knows": ("[profile.shop]\ncsv_fallback = 'cp9999'\n", "cp9999"),
    "columns are no table": ("[profile.shop]\ncolumns = []\n", "a table"),
    "a column's key is no text": ("[profile.shop.columns]\nEAN = 1\n", "EAN"),
    "a tax code is no text": ("[profile.shop.tax_codes]\nVAT = 1\n", "VAT"),
    "a legacy condition is no text": ("[profile.shop.legacy_conditions]\nNew = 6\n", "texts"),
    "a tax that nobody knows": ("[profile.shop.tax_codes]\nTVA = 'VAT'\n", "TVA"),
    "a page size is no number": ("[profile.shop]\nreport_page_size = 'all'\n", "a whole number"),
    "a pause before the last batch": ("[profile.shop]\nbatch_pause = -1\n", "batch_pause"),
    "a pause before a lost answer": ("[profile.shop]\nresend_pause = -1\n", "resend_pause"),
    "a pause of years": ("[profile.shop]\nbatch_pause = 99999999999\n", "batch_pause"),
    "a place that is no cell": ("[profile.shop]\noperator_category = '1C'\n", "operator_category"),
    "notes above the codes": ("[profile.shop]\noperator_notes = -1\n", "operator_notes"),
    "a time of nothing": ("[profile.shop]\ncall_timeout = 0\n", "a number of seconds"),
    "an endless time": ("[profile.shop]\ncall_timeout = inf\n", "a number of seconds"),
    "a time that is none": ("[profile.shop]\ncall_timeout = true\n", "a number of seconds"),
    "a time as a text": ('[profile.shop]\ncall_timeout = "60"\n', "a number of seconds"),
    "a client that is no text": ("[profile.shop]\nclient_id = 12\n", "client_id must be a text"),
    "a token that is no text": ("[profile.shop]\ntoken = 314\n", "token must be a text"),
    "a flag that is none": ('[profile.shop]\nchanged_only = "yes"\n', "is no yes or no"),
    "a guard below 0": ("[profile.shop.guards]\nremovals = -1\n", "a guard below 0"),
    "a factor below 1": ("[profile.shop.guards]\nprice_factor = 0.5\n", "must be above 1"),
    "no such guard": ("[profile.shop.guards]\nprice_factr = 5\n", "“price_factr”"),
    "a mode is no text": ("[profile.shop]\nmandatory_mode = 1\n", "mandatory_mode"),
}


@pytest.mark.parametrize(("text", "said"), REFUSED.values(), ids=REFUSED)
def test_everything_else_is_refused_with_a_clear_word(files: Files, text: str, said: str) -> None:
    with pytest.raises(UsageProblem) as raised:
        loaded(files, text)
    assert said in raised.value.message
    assert "feedtool.toml" in raised.value.message
    assert raised.value.hint
    assert "314" not in f"{raised.value.message} {raised.value.hint}", "a secret"


def test_a_profile_that_is_not_there_names_those_that_are(files: Files) -> None:
    with pytest.raises(UsageProblem) as raised:
        loaded(files, WHOLE).profile("shopp")
    assert "shop, other" in raised.value.hint
    with pytest.raises(UsageProblem) as raised:
        load(None).profile("shop")
    assert "feedtool.toml" in raised.value.message


UNREAD = {
    "there is none": (None, "no such file", "--config"),
    "no UTF-8": ("[defaults]\n# caf\xe9\n".encode("latin-1"), "not UTF-8", "UTF-8"),
    "no TOML": (b"[profile", "no TOML", "correct"),
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
