"""Names that several modules of the integration share."""

import logging

DOMAIN = "azirevpn"
LOGGER = logging.getLogger(__package__)

CONF_ACCOUNT_WARNING_DAYS = "account_warning_days"
CONF_BASE_URL = "base_url"
CONF_CHECK_PORTS = "check_ports"
CONF_INTERNAL_IPV4 = "internal_ipv4"
CONF_MANAGER_URL = "manager_url"
CONF_PORT_WARNING_DAYS = "port_warning_days"
CONF_PROXY_URL = "proxy_url"

DEFAULT_ACCOUNT_WARNING_DAYS = 14
DEFAULT_CHECK_PORTS = True
DEFAULT_PORT_WARNING_DAYS = 3

SUBENTRY_TYPE_CONNECTION = "connection"
