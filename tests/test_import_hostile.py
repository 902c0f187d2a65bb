"""Files made to do harm, or damaged beyond use: handled within stated limits, or refused in one sentence."""

import re
from pathlib import Path

import pytest

from ecomrlve.errors import CatalogError
from tests.importing import bring_in

GROWING = '<!DOCTYPE a [<!ENTITY b "xxxx"><!ENTITY c "&b;&b;">]>'

REFUSED: dict[str, tuple[str, bytes | str, str]] = {
    "damaged XML": ("a.xml", "<rss><item><id>1</id></rss>", "damaged XML: mismatched tag, line 1"),
    "XML without products": ("a.xml", '<?xml version="1.0"?><a><b>1</b></a>', "XML without products"),
    "XML in no known encoding": (
        "a.xml",
        b'<?xml version="1.0" encoding="martian"?><rss/>',
        "an encoding that is unknown",
    ),
    "XML with entities that grow": (
        "a.xml",
        f'<?xml version="1.0"?>{GROWING}<rss><item><id>&c;</id></item></rss>',
        "declares a document type",
    ),
    "a page without linked data": (
        "a.html",
        "<!doctype html><html><body>Hello</body></html>",
        "page without readable data",
    ),
    "linked data without products": (
        "a.json",
        '{"@context": "https://schema.org", "@type": "Person"}',
        "without any product",
    ),
    "XML that nests without end": ("a.xml", "<rss>" + "<a>" * 100_000, "nests more than 32 elements"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_harmful_files_are_refused_in_a_sentence(case: str, tmp_path: Path) -> None:
    name, data, words = REFUSED[case]
    with pytest.raises(CatalogError, match=re.escape(words)) as refused:
        bring_in(tmp_path, name, data)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 400
    assert [path.name for path in tmp_path.iterdir()] == [name], "something was left behind"
