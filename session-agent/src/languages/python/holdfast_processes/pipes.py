import os


def open_pipes(streams):
    """Returns the ends for the agent, by name, and those of the process, by number.

    The agent opens its ends by their numbers in this process, which closes them when the agent has said so.
    """
    ends, theirs = {}, {}
    try:
        if streams.get('input'):
            theirs[0], ends['input'] = os.pipe()
        if 'terminal' not in streams:
            ends['output'], theirs[1] = os.pipe()
        if streams.get('errors'):
            ends['errors'], theirs[2] = os.pipe()
    except OSError:
        close_all([*ends.values(), *theirs.values()])
        raise
    return ends, theirs


def close_all(descriptors):
    for descriptor in descriptors:
        os.close(descriptor)
