"""The names that a new shell takes for magics at the beginning of a line, found without building one."""

# Names that IPython gives to magics of other names when a shell is built.
_renamed = ('ed', 'hist', 'rep')


def magic_names():
    """Returns a frozenset, which is empty if IPython is missing."""
    try:
        from IPython.core import alias, magics
        from IPython.extensions.storemagic import StoreMagics

        from .shell_magics import PagerMagics
    except Exception:
        return frozenset()
    # A newer IPython has a table of its own magics, and imports their classes at first use.
    table = getattr(magics, 'BUILTIN_LAZY_MAGICS', {})
    registries = [getattr(one, 'magics', None) or {} for one in (*vars(magics).values(), StoreMagics, PagerMagics)]
    names = [name for registry in (table, *registries) for name in registry.get('line', ())]
    return frozenset((*names, *_renamed, *(name for name, _ in alias.default_aliases())))
