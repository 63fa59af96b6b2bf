"""Texts of the user's code in a report. The agent counts their characters as UTF-16 does."""

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
