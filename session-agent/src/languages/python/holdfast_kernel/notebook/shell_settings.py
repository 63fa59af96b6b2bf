"""Tells whether steps have changed settings of IPython's shell, which no snapshot has: options, aliases, extensions, magics."""


def settings_of(shell):
    """Call when the shell is new; `has_changed` compares later ones with these."""
    return {'options': _options(shell), 'lists': _lists(shell)}


def has_changed(shell, first):
    if _lists(shell) != first['lists']:
        return True
    return any(_differs(owner, name, value, first['options']) for owner, options in _options(shell).items() for name, value in options.items())


def _options(shell):
    """The options that have a value so far, by their owners. Others get one when something first asks for them."""
    owners = [*shell.configurables, shell, *shell.display_formatter.formatters.values()]
    return {owner: {name: owner._trait_values[name] for name in owner.trait_names(config=True) if name in owner._trait_values} for owner in owners}


def _differs(owner, name, value, first):
    # Libraries that draw plots tell the shell how.
    if type(value) in (dict, list, set):
        return False
    before = first.get(owner, {})
    return value != before[name] if name in before else value != owner.trait_defaults(name)


def _lists(shell):
    magics = {kind: frozenset(functions) for kind, functions in shell.magics_manager.magics.items()}
    return magics, frozenset(shell.extension_manager.loaded), len(shell.ast_transformers), len(shell.input_transformers_post)
