"""The pictures of the integration have the forms that Home Assistant shows."""

from pathlib import Path
import re

from PIL import Image
import pytest

from custom_components import azirevpn

PICTURES = Path(azirevpn.__file__).parent / "brand"
DRAWINGS = PICTURES.parents[2] / "brand"
MARK = re.compile(r'<g id="mark">.*?</g>', re.DOTALL)


@pytest.mark.parametrize("scheme", ["", "dark_"])
@pytest.mark.parametrize(("suffix", "scale"), [("", 1), ("@2x", 2)])
@pytest.mark.parametrize(("name", "size"), [("icon", (256, 256)), ("logo", (592, 128))])
def test_picture(
    name: str, size: tuple[int, int], suffix: str, scale: int, scheme: str
) -> None:
    """A picture has its size, a clear background, and nothing clear around it."""
    with Image.open(PICTURES / f"{scheme}{name}{suffix}.png") as picture:
        assert picture.size == (size[0] * scale, size[1] * scale)
        assert picture.mode == "RGBA"
        assert picture.getpixel((0, 0)) == (0, 0, 0, 0)
        assert picture.getbbox() == (0, 0, *picture.size)


def test_for_dark_surroundings() -> None:
    """What is shown in dark surroundings is drawn in colours of its own."""
    for name in ("icon", "logo"):
        light, dark = (PICTURES / f"{scheme}{name}.png" for scheme in ("", "dark_"))
        assert light.read_bytes() != dark.read_bytes()


def test_same_mark() -> None:
    """Icon and logo show the same mark."""
    icon, logo = (
        MARK.findall((DRAWINGS / f"{name}.svg").read_text())
        for name in ("icon", "logo")
    )
    assert len(icon) == 1
    assert icon == logo
