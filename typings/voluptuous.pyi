# Home Assistant answers an import of voluptuous with its own engine, so its types are meant.
from probatio import *
