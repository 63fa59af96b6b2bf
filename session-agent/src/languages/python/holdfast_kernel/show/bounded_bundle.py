"""Cuts a MIME bundle down to JSON of bounded size, so that it fits into a message."""

import base64

from ..agent import channel

text_characters_max = 1024 * 1024
# Below the 8 MiB that the agent accepts for a whole result, so that an entry that is too large costs itself alone.
bundle_bytes_max = 7 * 1024 * 1024
mime_characters_max = 256
metadata_bytes_max = 65536


def bounded_bundle(content, metadata):
    """Returns (content, metadata) that fit into a message. `metadata['omitted']` names the entries that were left out."""
    sent, omitted, left = {}, [], bundle_bytes_max
    # The text comes first, so that there is something to see if the others do not fit.
    for mime, entry in sorted(content.items(), key=lambda item: item[0] != 'text/plain'):
        if len(mime) > mime_characters_max:
            omitted.append(mime[:mime_characters_max])
            continue
        if isinstance(entry, (bytes, bytearray)):
            entry = base64.b64encode(entry).decode('ascii')
        if mime == 'text/plain':
            entry = bounded_text(entry if isinstance(entry, str) else repr(entry))
        size = _json_bytes(entry)
        if size <= left:
            left -= size
            sent[mime] = entry
        else:
            omitted.append(mime)
    metadata = {key: entry for key, entry in metadata.items() if _json_bytes(entry) <= metadata_bytes_max}
    if omitted:
        metadata['omitted'] = omitted
    return sent, metadata


def bounded_text(text):
    """Cuts a text so that it always fits into a message by itself, as JSON has at most six bytes for a character."""
    if len(text) <= text_characters_max:
        return text
    return '%s… (%d more characters)' % (text[:text_characters_max], len(text) - text_characters_max)


def _json_bytes(entry):
    """Returns the size as JSON, or more than the maximum if JSON cannot hold the entry."""
    try:
        return len(channel.json_of(entry))
    except (TypeError, ValueError, RecursionError):
        return bundle_bytes_max + 1
