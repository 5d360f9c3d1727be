"""dbdyno: a dynamometer for transactional databases."""

from typing import TYPE_CHECKING

__version__: str
"""The version of the installed package. It is written in Cargo.toml alone."""

if not TYPE_CHECKING:  # for a type checker, the package would have every name

    def __getattr__(name: str) -> str:
        """Look the version up when it is first asked for: short commands do without."""
        if name != "__version__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib.metadata import version

        globals()[name] = version("dbdyno")
        return globals()[name]
