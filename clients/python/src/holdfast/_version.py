"""The version of the package, as its metadata says."""

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("holdfast")
except PackageNotFoundError:
    VERSION = "0.0.0"

USER_AGENT = f"holdfast-python/{VERSION}"
