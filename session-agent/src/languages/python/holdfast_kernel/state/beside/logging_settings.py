"""The levels and handlers of loggers. A handler of a kind that is not known here cannot be made again."""

import sys

# The context's own ones, whatever has their places in the process that saves or recovers.
_streams = ('__stdout__', '__stderr__')
# Attributes that a handler and a formatter have anyway. Steps have given them the others.
_of_handlers = frozenset('filters _name level formatter lock _closed stream baseFilename mode encoding errors delay _builtin_open'.split())
_of_formatters = frozenset(('_style', '_fmt', 'datefmt'))


def read(logging):
    """The level that is switched off everywhere, and the settings of the loggers that have any, by their names. Raises ValueError if a handler
    cannot be made again.
    """
    loggers = {'': logging.root, **{name: one for name, one in logging.root.manager.loggerDict.items() if isinstance(one, logging.Logger)}}
    settings = {name: _settings_of(logging, one) for name, one in loggers.items()}
    plain = {'': _plain(logging.WARNING)}
    changed = {name: one for name, one in settings.items() if one != plain.get(name, _plain(logging.NOTSET))}
    return logging.root.manager.disable, changed, _levels(logging), _makers(logging)


def restore(logging, saved):
    disabled, settings, levels, (record, logger) = saved
    for level, name in levels.items():
        logging.addLevelName(level, name)
    if record is not None:
        logging.setLogRecordFactory(record)
    if logger is not None:
        logging.setLoggerClass(logger)
    logging.disable(disabled)
    for name, one in settings.items():
        logger = logging.getLogger(name) if name else logging.root
        logger.setLevel(one['level'])
        logger.propagate, logger.disabled = one['propagate'], one['disabled']
        for handler in one['handlers']:
            logger.addHandler(_made(logging, handler))


def _levels(logging):
    """The names of levels that are not those of the module."""
    return {level: name for level, name in logging._levelToName.items() if getattr(logging, name, None) != level}


def _makers(logging):
    """The function or class that makes records and the class of loggers; None for the module's own ones."""
    record, logger = logging.getLogRecordFactory(), logging.getLoggerClass()
    if getattr(record, '__closure__', None):
        raise ValueError('the function that makes records shares variables with others')
    return None if record is logging.LogRecord else record, None if logger is logging.Logger else logger


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
    target = {'filename': handler.baseFilename, 'encoding': handler.encoding} if is_file else {'stream': stream}
    own = {name: part for name, part in vars(handler).items() if name not in _of_handlers}
    return {'level': handler.level, 'style': formatter and _described_style(logging, formatter), 'name': handler.get_name(), 'own': own, **target}


def _described_style(logging, formatter):
    options = {'fmt': formatter._style._fmt, 'datefmt': formatter.datefmt, 'style': _style_of(logging, formatter)}
    # Since Python 3.10.
    defaults = getattr(formatter._style, '_defaults', None)
    own = {name: part for name, part in vars(formatter).items() if name not in _of_formatters}
    return {**options, **({'defaults': defaults} if defaults else {})}, own


def _style_of(logging, formatter):
    return next(mark for mark, (kind, _) in logging._STYLES.items() if type(formatter._style) is kind)


def _made(logging, described):
    if 'filename' in described:
        # The file has what was logged before.
        handler = logging.FileHandler(described['filename'], 'a', described['encoding'], delay=True)
    else:
        handler = logging.StreamHandler(getattr(sys, described['stream']))
    handler.setLevel(described['level'])
    handler.set_name(described['name'])
    vars(handler).update(described['own'])
    if described['style'] is not None:
        options, own = described['style']
        formatter = logging.Formatter(**options)
        vars(formatter).update(own)
        handler.setFormatter(formatter)
    return handler
