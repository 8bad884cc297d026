"""Names that several modules of the integration share."""

import logging

DOMAIN = "azirevpn"
LOGGER = logging.getLogger(__package__)

CONF_BASE_URL = "base_url"
CONF_INTERNAL_IPV4 = "internal_ipv4"
CONF_MANAGER_URL = "manager_url"
CONF_PROXY_URL = "proxy_url"

SUBENTRY_TYPE_CONNECTION = "connection"
