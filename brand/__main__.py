"""Draws the pictures of the integration from the drawings beside this file.

Each drawing has its own colours for light and dark surroundings, so that two
drawings make eight pictures.
"""

from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

type Scheme = Literal["light", "dark"]

DRAWINGS = Path(__file__).parent
PICTURES = DRAWINGS.parent / "custom_components" / "azirevpn" / "brand"
CHROMIUM = "/usr/bin/chromium"
HEIGHTS = {"icon": 256, "logo": 128}  # pixels
SCHEMES: dict[str, Scheme] = {"": "light", "dark_": "dark"}
SCALES = {"": 1, "@2x": 2}


def draw(browser: Browser, name: str, scheme: Scheme, scale: int) -> bytes:
    """Return a drawing as a transparent PNG, at a scale of its height."""
    page = browser.new_page(color_scheme=scheme, device_scale_factor=scale)
    page.set_content(
        f"<style>body {{ margin: 0 }} svg {{ height: {HEIGHTS[name]}px }}</style>"
        f"{(DRAWINGS / f'{name}.svg').read_text()}"
    )
    shot = page.locator("svg").screenshot(omit_background=True)
    page.close()
    return shot


def save(shot: bytes, path: Path) -> None:
    """Write a picture, as small as it gets without loss."""
    with Image.open(BytesIO(shot)) as picture:
        picture.save(path, optimize=True)


def main() -> None:
    """Draw them all."""
    PICTURES.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--hide-scrollbars"],
        )
        for name, (prefix, scheme), (suffix, scale) in product(
            HEIGHTS, SCHEMES.items(), SCALES.items()
        ):
            save(
                draw(browser, name, scheme, scale),
                PICTURES / f"{prefix}{name}{suffix}.png",
            )
        browser.close()


if __name__ == "__main__":
    main()
