"""The devices: an account, its connections, and their ports as children."""

from homeassistant.config_entries import ConfigSubentry
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import device_registry as dr

from .connection import ConnectionCoordinator
from .const import CONF_MANAGER_URL, DOMAIN
from .coordinator import AzireVPNConfigEntry

MANUFACTURER = "AzireVPN"

type Identifier = tuple[str, str]


def account_identifier(entry: AzireVPNConfigEntry) -> Identifier:
    """Return what identifies an account's device."""
    return DOMAIN, str(entry.unique_id)


def connection_identifier(subentry: ConfigSubentry) -> Identifier:
    """Return what identifies a connection's device, whatever its address or name."""
    return DOMAIN, subentry.subentry_id


def port_identifier(subentry: ConfigSubentry, number: int) -> Identifier:
    """Return what identifies a port's device."""
    return DOMAIN, f"{subentry.subentry_id}_{number}"


@callback
def async_register_devices(hass: HomeAssistant, entry: AzireVPNConfigEntry) -> None:
    """Register the account and its connections, and drop ports as they go."""
    registry = dr.async_get(hass)
    account = async_name_account(hass, entry)
    for subentry_id, coordinator in entry.runtime_data.connections.items():
        coordinator.device_id = registry.async_get_or_create(
            config_entry_id=entry.entry_id,
            config_subentry_id=subentry_id,
            entry_type=dr.DeviceEntryType.SERVICE,
            identifiers={connection_identifier(coordinator.subentry)},
            manufacturer=MANUFACTURER,
            name=coordinator.subentry.title,
            via_device_id=account.id,
        ).id
        _async_drop_ports(hass, entry, coordinator)


@callback
def async_name_account(
    hass: HomeAssistant, entry: AzireVPNConfigEntry
) -> dr.DeviceEntry:
    """Register the account's device, called after its user."""
    return dr.async_get(hass).async_get_or_create(
        config_entry_id=entry.entry_id,
        configuration_url=entry.data[CONF_MANAGER_URL],
        entry_type=dr.DeviceEntryType.SERVICE,
        identifiers={account_identifier(entry)},
        manufacturer=MANUFACTURER,
        name=entry.title,
    )


@callback
def _async_drop_ports(
    hass: HomeAssistant, entry: AzireVPNConfigEntry, coordinator: ConnectionCoordinator
) -> None:
    """Remove the devices of ports that a successful list no longer has."""
    registry = dr.async_get(hass)

    @callback
    def drop() -> None:
        """Compare the devices with the list; without a tunnel there is none."""
        if not coordinator.tunnel:
            return
        listed = {
            port_identifier(coordinator.subentry, number)
            for number in coordinator.ports
        }
        for device in dr.async_entries_for_parent_device(
            registry, coordinator.device_id
        ):
            if not device.identifiers & listed:
                registry.async_remove_device(device.id)

    entry.async_on_unload(coordinator.async_add_listener(drop))
    drop()
