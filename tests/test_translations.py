"""Every text is used and every use has its text, and so with icons and the manifest."""

import ast
from collections.abc import Iterator
from importlib import import_module
import json
from pathlib import Path
from string import Formatter
from typing import Any

from homeassistant.const import CONF_NAME
from homeassistant.data_entry_flow import section
from homeassistant.helpers.entity import EntityDescription
from homeassistant.util.yaml import load_yaml_dict
import pytest
import voluptuous as vol

from custom_components import azirevpn
from custom_components.azirevpn import PLATFORMS, errors, forms, issues, options_flow
from custom_components.azirevpn.activity import PortEventType, Reason
from custom_components.azirevpn.api import (
    AzireVPNError,
    ManagerPage,
    RateLimitError,
    ResponseError,
    TransportError,
    ValidationError,
)
from custom_components.azirevpn.const import CONF_INTERNAL_IPV4, CONF_PROXY_URL
from custom_components.azirevpn.services import ACTIONS

FOLDER = Path(azirevpn.__file__).parent
TEXTS: Any = json.loads((FOLDER / "translations" / "en.json").read_text())
ICONS: Any = json.loads((FOLDER / "icons.json").read_text())
ACTION_FIELDS: Any = load_yaml_dict(str(FOLDER / "services.yaml"))
MANIFEST: Any = json.loads((FOLDER / "manifest.json").read_text())
HACS = FOLDER.parents[1] / "hacs.json"

# Only the endpoints of a connection can fail like this
OF_CONNECTIONS = {"not_connected", "proxy_failed"}


def calls(module: str = "*") -> Iterator[tuple[str, dict[str, ast.expr]]]:
    """Return the calls in the integration's code: names and keyword arguments."""
    for path in FOLDER.glob(f"{module}.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                name = node.func
                yield (
                    name.attr if isinstance(name, ast.Attribute) else ast.unparse(name),
                    {
                        keyword.arg: keyword.value
                        for keyword in node.keywords
                        if keyword.arg
                    },
                )


def constant(expression: ast.expr) -> str:
    """Return the text that stands in the code."""
    assert isinstance(expression, ast.Constant)
    return str(expression.value)


def strings(module: str) -> set[str]:
    """Return what a flow puts down as errors by name: `self._errors[field] = "name"`."""
    return {
        node.value.value
        for node in ast.walk(ast.parse((FOLDER / f"{module}.py").read_text()))
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        and isinstance(node.targets[0], ast.Subscript)
        and ast.unparse(node.targets[0].value) == "self._errors"
    }


def aborts(module: str) -> set[str]:
    """Return the reasons for which a flow aborts in its own words."""
    found = {
        constant(arguments["reason"])
        for _, arguments in calls(module)
        if "reason" in arguments
    }
    if any(name == "_abort_if_unique_id_configured" for name, _ in calls(module)):
        found.add("already_configured")
    return found


def fields(schema: vol.Schema) -> set[str]:
    """Return the names of a schema's plain fields."""
    return {
        str(key)
        for key, value in schema.schema.items()
        if not isinstance(value, section)
    }


def descriptions(platform: str) -> list[EntityDescription]:
    """Return the descriptions of a platform's entities."""
    found: list[EntityDescription] = []
    for value in vars(import_module(f"{azirevpn.__name__}.{platform}")).values():
        entries = value if isinstance(value, tuple) else (value,)
        # A plain description is made of a dataclass that isn't a subclass
        found += [
            entry
            for entry in entries
            if hasattr(entry, "translation_key") and not isinstance(entry, type)
        ]
    return found


def placeholders(text: str) -> set[str]:
    """Return the names in braces in a text."""
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def every_text(texts: Any) -> Iterator[str]:
    """Return all texts at the ends of a tree."""
    if isinstance(texts, str):
        yield texts
    else:
        for part in texts.values():
            yield from every_text(part)


def errors_of_client() -> Iterator[AzireVPNError]:
    """Return one error of every class that is named."""
    for kind in errors.KEYS:
        if issubclass(kind, ValidationError):
            yield kind(422, "No", {"port": ("Not this one.",)})
        elif issubclass(kind, RateLimitError):
            yield kind(429, "No", 1.5)
        elif issubclass(kind, ResponseError):
            yield kind(400, "No")
        elif issubclass(kind, TransportError):
            yield kind("No", sent=False)
        else:
            yield kind("No")


@pytest.mark.parametrize("platform", PLATFORMS)
def test_entities(platform: str) -> None:
    """Every entity has a name and an icon of its own."""
    keys = {description.translation_key for description in descriptions(platform)}
    assert keys
    assert set(TEXTS["entity"][platform]) == keys
    assert set(ICONS["entity"][platform]) == keys
    for description in descriptions(platform):
        assert description.translation_key == description.key


def test_platforms() -> None:
    """There are no texts or icons of platforms that don't exist."""
    assert set(TEXTS["entity"]) == set(ICONS["entity"]) == set(PLATFORMS)


def test_devices() -> None:
    """The devices that have translated names have them."""
    keys = {
        constant(arguments["translation_key"])
        for name, arguments in calls("entity")
        if name.endswith("DeviceInfo") and "translation_key" in arguments
    }
    assert set(TEXTS["device"]) == keys


def test_exceptions() -> None:
    """Every error that is raised has a text, and no other."""
    raised = {
        constant(arguments["translation_key"])
        for _, arguments in calls()
        if "translation_domain" in arguments
        and isinstance(arguments["translation_key"], ast.Constant)
    }
    assert "not_a_connection" in raised
    assert set(TEXTS["exceptions"]) == raised | set(errors.KEYS.values())


@pytest.mark.parametrize("err", errors_of_client(), ids=lambda err: type(err).__name__)
def test_placeholders(err: AzireVPNError) -> None:
    """The text of an error asks for nothing that the error can't tell."""
    found = errors.problem(err)
    texts = [TEXTS["exceptions"][found.key]["message"]]
    texts.append(TEXTS["config_subentries"]["connection"]["error"][found.key])
    texts += [
        text for key, text in TEXTS["config"]["error"].items() if key == found.key
    ]
    for text in texts:
        assert placeholders(text) <= found.placeholders.keys()


def test_every_error_is_named() -> None:
    """An error that the client may raise one day has a name, too."""
    kinds = [AzireVPNError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    for kind in kinds[1:]:
        assert any(issubclass(kind, known) for known in errors.KEYS)


def test_config_flow() -> None:
    """Every step, field, error and reason of the config flow has its text."""
    texts = TEXTS["config"]
    assert set(texts["error"]) == (
        strings("config_flow")
        | {f"invalid_{field}" for field in forms.SIGN_UP_FIELDS}
        | set(errors.KEYS.values()) - OF_CONNECTIONS
    )
    assert set(texts["abort"]) == aborts("config_flow")
    steps = texts["step"]
    choices = {"token", "sign_up"}
    for part in ("menu_options", "menu_option_descriptions"):
        assert set(steps["user"][part]) == choices
    filled_in = {
        "token": forms.token_form,
        "sign_up": forms.sign_up_form,
        "reconfigure": forms.reconfigure_form,
        "reauth_confirm": forms.reauth_form,
    }
    assert set(steps) == {"user", "verify_email", "signed_up", *filled_in}
    for step, form in filled_in.items():
        schema = form(open_service=False)
        assert_described(steps[step], schema)
        sections = {
            str(key): value.schema
            for key, value in schema.schema.items()
            if isinstance(value, section)
        }
        assert set(steps[step].get("sections", {})) == set(sections)
        for name, part_of_it in sections.items():
            assert_described(steps[step]["sections"][name], part_of_it)


def assert_described(texts: Any, schema: vol.Schema) -> None:
    """Every field of a form has a label and a description."""
    for part in ("data", "data_description"):
        assert set(texts.get(part, {})) == fields(schema)


def test_connection_flow() -> None:
    """Every step, field, error and reason of the connection's flow has its text."""
    assert set(TEXTS["config_subentries"]) == {"connection"}
    texts = TEXTS["config_subentries"]["connection"]
    assert set(texts["error"]) == (
        strings("connection_flow") | set(errors.KEYS.values())
    )
    assert set(texts["abort"]) == aborts("connection_flow")
    assert set(texts["step"]) == set(texts["initiate_flow"]) == {"user", "reconfigure"}
    for form in texts["step"].values():
        assert set(form["data"]) == set(form["data_description"])
        assert set(form["data"]) == {CONF_NAME, CONF_INTERNAL_IPV4, CONF_PROXY_URL}


def test_options_flow() -> None:
    """Every choice, field, error and reason of the options flow has its text."""
    texts = TEXTS["options"]
    steps = texts["step"]
    forms_of_steps = {
        "settings": options_flow.SETTINGS_SCHEMA,
        "sign_in": options_flow.SIGN_IN_SCHEMA,
        "change_username": options_flow.USERNAME_SCHEMA,
        "change_email": options_flow.EMAIL_SCHEMA,
        "remove_email": options_flow.NOTHING_SCHEMA,
        "change_password": options_flow.PASSWORD_SCHEMA,
        "delete_account": options_flow.DELETE_SCHEMA,
    }
    assert set(steps["init"]["menu_options"]) == set(forms_of_steps)
    assert set(steps) == {"init", "sign_in_link", *forms_of_steps}
    for step, schema in forms_of_steps.items():
        assert_described(steps[step], schema)
    asked_for = {"username", "email", "password"}
    assert set(texts["error"]) == (
        {f"invalid_{field}" for field in asked_for}
        | {"wrong_username"}
        | set(errors.KEYS.values()) - OF_CONNECTIONS
    )
    assert set(texts["abort"]) == aborts("options_flow") | {"not_loaded"}
    assert set(TEXTS["selector"]["page"]["options"]) == set(ManagerPage)


def test_issues() -> None:
    """Every issue has its text, and either a description or steps that see to it."""
    kinds = {
        issues.EMAIL_NOT_VERIFIED,
        issues.PORT_EXPIRING,
        issues.QUOTA_REACHED,
        issues.SUBSCRIPTION_ENDED,
        issues.SUBSCRIPTION_EXPIRING,
    }
    assert set(TEXTS["issues"]) == kinds
    for kind, texts in TEXTS["issues"].items():
        assert texts["title"]
        assert ("fix_flow" in texts) is (kind != issues.QUOTA_REACHED)
        assert ("description" in texts) is (kind == issues.QUOTA_REACHED)


def test_event() -> None:
    """Everything that can happen to a port has its text, and so do the reasons."""
    texts = TEXTS["entity"]["event"]["port_activity"]["state_attributes"]
    assert set(texts) == {"event_type", "port", "expires_at", "reason"}
    assert set(texts["event_type"]["state"]) == set(PortEventType)
    assert set(texts["reason"]["state"]) == set(Reason)


def test_actions() -> None:
    """Every action and each of its fields is described, has a text and an icon."""
    names = {*ACTIONS, "create_login_link"}
    assert names == set(ACTION_FIELDS) == set(TEXTS["services"])
    assert names == set(ICONS["services"])
    for name in names:
        asked = set(ACTION_FIELDS[name]["fields"])
        assert set(TEXTS["services"][name]["fields"]) == asked
    for name, action in ACTIONS.items():
        given = {str(key): isinstance(key, vol.Required) for key in action.schema}
        described = {
            field: about.get("required", False)
            for field, about in ACTION_FIELDS[name]["fields"].items()
        }
        assert described == given
        assert set(TEXTS["services"][name]["fields"]) == set(given)


def test_words() -> None:
    """No text holds an address, markup or stray space."""
    for text in every_text(TEXTS):
        assert text == text.strip()
        assert text
        for unwanted in ("http:", "https:", "<", "[%key", "'{"):
            assert unwanted not in text


def test_icons() -> None:
    """All icons are Material Design's."""
    for icon in every_text(ICONS):
        assert icon.startswith("mdi:")


def test_manifest() -> None:
    """The manifest has what Home Assistant and HACS want, in the order they want."""
    assert list(MANIFEST)[:2] == ["domain", "name"]
    assert list(MANIFEST)[2:] == sorted(list(MANIFEST)[2:])
    assert MANIFEST["domain"] == FOLDER.name
    assert MANIFEST["config_flow"] is True
    assert MANIFEST["loggers"] == [azirevpn.__name__]
    for key in ("documentation", "issue_tracker"):
        assert MANIFEST[key].startswith("https://")
    assert MANIFEST.keys() >= {
        "codeowners",
        "integration_type",
        "iot_class",
        "requirements",
        "version",
    }


def test_hacs() -> None:
    """HACS is told the name, and the Home Assistant that it takes."""
    hacs = json.loads(HACS.read_text())
    assert hacs["name"]
    assert [int(part) for part in hacs["homeassistant"].split(".")] >= [2026, 9, 0]
