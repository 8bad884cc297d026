"""The menu behind the cogwheel of an account, on a desk and on a phone."""

import pytest

from .conftest import Visit
from .frontend import Frontend


@pytest.mark.parametrize(("place", "width"), [("desktop", 1280), ("phone", 420)])
def test_options(visit: Visit, place: str, width: int) -> None:
    """Every choice of the menu says what it does, and what it can't do."""
    frontend = visit(width=width)
    frontend.open_options("ada")
    frontend.look("options" if place == "desktop" else f"options-{place}")
    for choice, words in (
        ("Settings", "How many days before its end"),
        ("Sign in to the web manager", "A link is made that signs in once"),
        ("Change the username", "are called after it"),
        ("Change the email", "The service sends a message to the new address"),
        ("Remove the email", "This removes ada@example.org"),
        ("Change the password", "Home Assistant does not keep it"),
        ("Delete the account", "It can't be undone"),
    ):
        choose(frontend, choice, words)
        frontend.look(f"options-{slug(choice)}-{place}")

    choose(frontend, "Settings", "How many days before its end")
    frontend.press("Submit")
    frontend.sees("Options successfully saved.")
    frontend.press("Finish")

    choose(frontend, "Change the email", "The service sends a message")
    frontend.fill(email="nonsense")
    frontend.press("Submit")
    frontend.sees("The service says: The email must be a valid email address.")
    frontend.look(f"options-email-mistake-{place}")

    choose(frontend, "Change the password", "Home Assistant does not keep it")
    frontend.fill(password="correct horse")
    frontend.press("Submit")
    frontend.sees("Options successfully saved.")
    frontend.press("Finish")

    choose(frontend, "Delete the account", "It can't be undone")
    frontend.fill(username="adda", password="guessed wrong")
    frontend.press("Submit")
    frontend.sees("This is not the username of the account.")
    frontend.fill(username="ada", password="guessed wrong")
    frontend.press("Submit")
    frontend.sees("The service says: The password is incorrect.")
    frontend.look(f"options-delete-mistake-{place}")


def choose(frontend: Frontend, choice: str, words: str) -> None:
    """Choose from the menu, and wait for what it says."""
    frontend.open_options("ada")
    frontend.choose(choice)
    frontend.sees(words)


def slug(choice: str) -> str:
    """Return a choice as part of a file's name."""
    return choice.lower().replace(" ", "-")
