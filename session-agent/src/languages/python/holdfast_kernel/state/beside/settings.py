"""Saves the settings that libraries keep to themselves and steps change: the precision of `decimal`, the options of pandas and the like."""

import importlib
import sys

from ...notebook.plot_backend import first_backend
from ..pickler import pickled
from ..short_texts import message_of
from . import logging_settings, registries


def settings_of_classes():
    """The settings that take a look at many classes, by their names. A process that was just forked copies the memory of all of them."""
    return {'(registered classes)': registries.registered()}


def pickled_settings(main, rename, attempt, refused, first_place, known):
    """A setting that is as in a new kernel can be None. Returns pickles by the names that a report gives the settings, and the reasons for those that cannot be saved. They hold functions of
    steps perhaps, so `attempt` is told of each, from `first_place` on. `known` has settings that were read before.
    """
    saved, not_saved = {}, {}
    for place, (name, (module, read, _)) in enumerate(_settings.items(), first_place):
        attempt.begins(place)
        if module not in sys.modules:
            continue
        try:
            if place in refused:
                raise ValueError(refused[place])
            value = known[name] if name in known else read(sys.modules[module])
            if value is not None:
                saved[name] = pickled(value, main, rename)[:2]
        except BaseException as error:
            not_saved[name] = 'the settings of %s cannot be saved: %s' % (module, message_of(error)[:200])
        attempt.refuse_fork()
    return saved, not_saved


def restore_setting(name, value):
    module, _, restore = _settings[name]
    restore(importlib.import_module(module), value)


def _decimal(decimal):
    context = decimal.getcontext()
    plain = {key: getattr(context, key) for key in ('prec', 'rounding', 'Emin', 'Emax', 'capitals', 'clamp')}
    return {**plain, 'flags': dict(context.flags), 'traps': dict(context.traps)}


def _restore_decimal(decimal, state):
    # The same context stays, as names may have it.
    for key, value in state.items():
        setattr(decimal.getcontext(), key, value)


def _filters(warnings):
    return list(warnings.filters)


def _restore_filters(warnings, filters):
    # It makes the module forget what it has found by the filters before.
    warnings.resetwarnings()
    warnings.filters[:] = filters


def _numpy(numpy):
    return numpy.get_printoptions(), numpy.geterr()


def _restore_numpy(numpy, options):
    shown, errors = options
    numpy.set_printoptions(**shown)
    numpy.seterr(**errors)


def _pandas(pandas):
    registered = sys.modules['pandas._config.config']._registered_options
    values = {key: pandas.get_option(key) for key, option in registered.items() if option.defval is not None or pandas.get_option(key) is not None}
    return {key: value for key, value in values.items() if value != registered[key].defval}


def _restore_pandas(pandas, options):
    for key, value in options.items():
        pandas.set_option(key, value)


def _matplotlib(matplotlib):
    defaults = matplotlib.rcParamsDefault
    changed = {key: dict.__getitem__(matplotlib.rcParams, key) for key in matplotlib.rcParams if key in defaults and not key.startswith('backend')}
    options = {key: value for key, value in changed.items() if value != dict.__getitem__(defaults, key)}
    backend = dict.__getitem__(matplotlib.rcParams, 'backend')
    return options, backend if type(backend) is str and backend != first_backend() else None


def _restore_matplotlib(matplotlib, state):
    options, backend = state
    matplotlib.rcParams.update(options)
    if backend is not None:
        matplotlib.use(backend)


def _collector(gc):
    return gc.isenabled(), gc.get_threshold()


def _restore_collector(gc, state):
    is_enabled, threshold = state
    (gc.enable if is_enabled else gc.disable)()
    gc.set_threshold(*threshold)


def _locale(locale):
    return locale.setlocale(locale.LC_ALL)


def _restore_locale(locale, name):
    if locale.setlocale(locale.LC_ALL) != name:
        locale.setlocale(locale.LC_ALL, name)


def _switch_interval(system):
    return system.getswitchinterval()


def _restore_switch_interval(system, seconds):
    system.setswitchinterval(seconds)


def _first_weekday(calendar):
    return calendar.firstweekday()


def _restore_first_weekday(calendar, day):
    calendar.setfirstweekday(day)


def _arguments(system):
    return system.argv


def _restore_arguments(system, arguments):
    system.argv[:] = arguments


def _socket_timeout(socket):
    return socket.getdefaulttimeout()


def _restore_socket_timeout(socket, seconds):
    socket.setdefaulttimeout(seconds)


# By their names in a report: the module, and how to read and to restore the setting.
_settings = {
    '(decimal context)': ('decimal', _decimal, _restore_decimal),
    '(warning filters)': ('warnings', _filters, _restore_filters),
    '(numpy options)': ('numpy', _numpy, _restore_numpy),
    '(pandas options)': ('pandas', _pandas, _restore_pandas),
    '(plot options)': ('matplotlib', _matplotlib, _restore_matplotlib),
    '(logging)': ('logging', logging_settings.read, logging_settings.restore),
    '(garbage collector)': ('gc', _collector, _restore_collector),
    '(locale)': ('_locale', _locale, _restore_locale),
    '(arguments)': ('sys', _arguments, _restore_arguments),
    '(socket timeout)': ('_socket', _socket_timeout, _restore_socket_timeout),
    '(csv dialects)': ('_csv', registries.dialects, registries.restore_dialects),
    '(pandas accessors)': ('pandas', registries.accessors, registries.restore_accessors),
    '(registered classes)': ('_abc', lambda _abc: registries.registered(), registries.restore_registered),
    '(first day of the week)': ('calendar', _first_weekday, _restore_first_weekday),
    '(switch interval)': ('sys', _switch_interval, _restore_switch_interval),
}
