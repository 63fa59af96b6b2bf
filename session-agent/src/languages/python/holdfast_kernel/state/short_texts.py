"""Texts of the user's code in a report. The agent counts their characters as UTF-16 does."""

# A manifest or a report with longer lists is refused as a whole.
names_max = 10_000
characters_max = 512


def utf16_length(text):
    return len(text) + sum(character > '\uffff' for character in text)


def shortened(text, characters):
    """The beginning of the text, of at most so many characters."""
    text = text[:characters]
    while utf16_length(text) > characters:
        text = text[: len(text) - (utf16_length(text) - characters + 1) // 2]
    return text


def message_of(error):
    """The text of an error, whose class the user's code may have written."""
    try:
        return str(error)
    except BaseException:
        return ''


def first_names(names):
    return names[:names_max]


def first_reasons(lost):
    """The first of a list of names with reasons. `*` stands for the others, so that no loss is left out."""
    if len(lost) <= names_max:
        return lost
    shown = lost[: names_max - 1]
    return [*shown, {'name': '*', 'reason': '%d further names, for which the list has no room' % (len(lost) - len(shown))}]
