"""IPython's other display functions. A result that was sent stays, so an update is a further result."""

from .display import display


class DisplayHandle:
    """Shows values under one name, which each result has in its metadata as `displayId`."""

    def __init__(self, display_id=None):
        import uuid

        self.display_id = display_id or uuid.uuid4().hex

    def display(self, value, **options):
        display(value, display_id=self.display_id, **options)

    def update(self, value, **options):
        display(value, display_id=self.display_id, **options)

    def __repr__(self):
        return '<DisplayHandle display_id=%s>' % self.display_id


def update_display(value, *, display_id, **options):
    display(value, display_id=display_id, **options)


def publish_display_data(data, metadata=None, *, transient=None, **options):
    """Shows a MIME bundle as it is."""
    display(data, metadata=metadata, display_id=(transient or {}).get('display_id'), raw=True)


def clear_output(wait=False):
    """Does nothing: results that were sent are part of the step already."""
