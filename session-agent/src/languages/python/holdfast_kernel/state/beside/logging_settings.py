"""The levels and handlers of loggers. A handler of a kind that is not known here cannot be made again."""

import sys

# The context's own ones, whatever has their places in the process that saves or recovers.
_streams = ('__stdout__', '__stderr__')


def read(logging):
    """The level that is switched off everywhere, and the settings of the loggers that have any, by their names. Raises ValueError if a handler
    cannot be made again.
    """
    loggers = {'': logging.root, **{name: one for name, one in logging.root.manager.loggerDict.items() if isinstance(one, logging.Logger)}}
    settings = {name: _settings_of(logging, one) for name, one in loggers.items()}
    plain = {'': _plain(logging.WARNING)}
    return logging.root.manager.disable, {name: one for name, one in settings.items() if one != plain.get(name, _plain(logging.NOTSET))}


def restore(logging, saved):
    disabled, settings = saved
    logging.disable(disabled)
    for name, one in settings.items():
        logger = logging.getLogger(name) if name else logging.root
        logger.setLevel(one['level'])
        logger.propagate, logger.disabled = one['propagate'], one['disabled']
        for handler in one['handlers']:
            logger.addHandler(_made(logging, handler))


def _plain(level):
    return {'level': level, 'propagate': True, 'disabled': False, 'handlers': []}


def _settings_of(logging, logger):
    own = [] if _is_of_library(logging, logger) else [one for one in logger.handlers if type(one) is not logging.NullHandler]
    handlers = [_described(logging, logger, handler) for handler in own]
    if logger.filters:
        raise ValueError('the logger %s has filters' % logger.name)
    return {'level': logger.level, 'propagate': logger.propagate, 'disabled': logger.disabled, 'handlers': handlers}


def _is_of_library(logging, logger):
    """A library gives its logger handlers when it is imported."""
    name = logger.name.partition('.')[0]
    return logger is not logging.root and name in sys.modules and name != '__main__'


def _described(logging, logger, handler):
    formatter = handler.formatter
    is_known = type(handler) in (logging.StreamHandler, logging.FileHandler) and type(formatter) in (logging.Formatter, type(None))
    stream = next((name for name in _streams if getattr(handler, 'stream', None) is getattr(sys, name)), None)
    is_file = type(handler) is logging.FileHandler
    if not is_known or handler.filters or not (is_file or stream):
        raise ValueError('the logger %s has a handler that cannot be made again: %r' % (logger.name, type(handler).__name__))
    style = None if formatter is None else {'fmt': formatter._style._fmt, 'datefmt': formatter.datefmt, 'style': _style_of(logging, formatter)}
    target = {'filename': handler.baseFilename, 'encoding': handler.encoding} if is_file else {'stream': stream}
    return {'level': handler.level, 'style': style, **target}


def _style_of(logging, formatter):
    return next(mark for mark, (kind, _) in logging._STYLES.items() if type(formatter._style) is kind)


def _made(logging, described):
    if 'filename' in described:
        # The file has what was logged before.
        handler = logging.FileHandler(described['filename'], 'a', described['encoding'], delay=True)
    else:
        handler = logging.StreamHandler(getattr(sys, described['stream']))
    handler.setLevel(described['level'])
    if described['style'] is not None:
        handler.setFormatter(logging.Formatter(**described['style']))
    return handler
