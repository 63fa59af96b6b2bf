"""The variables that a function has from the functions around it."""


def is_full(cell):
    """Whether the variable has a value."""
    try:
        cell.cell_contents
    except ValueError:
        return False
    return True
