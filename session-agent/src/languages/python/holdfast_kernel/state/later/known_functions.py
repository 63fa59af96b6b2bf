"""Functions and classes of libraries of which it is known what they do. They are found by their module and name."""

from ..looking import has_kind, is_a, module_of, name_of

# They only change or wrap what they decorate.
decorators = frozenset(
    'builtins.property builtins.staticmethod builtins.classmethod functools.wraps functools.lru_cache functools.cache functools.total_ordering '
    'functools.singledispatch functools.singledispatchmethod functools.cached_property functools.update_wrapper contextlib.contextmanager '
    'contextlib.asynccontextmanager abc.abstractmethod abc.abstractproperty abc.abstractclassmethod abc.abstractstaticmethod typing.overload '
    'typing.final typing.runtime_checkable typing.no_type_check typing.override dataclasses.dataclass enum.unique enum.property enum.member '
    'enum.nonmember types.coroutine types.DynamicClassAttribute numba.core.decorators.njit numba.core.decorators.jit'.split()
)
# They keep what they get, and call none of it.
holders = frozenset(
    'builtins.property builtins.staticmethod builtins.classmethod builtins.isinstance builtins.callable builtins.type functools.partial '
    'functools.partialmethod dataclasses.field enum.auto typing.TypeVar typing.ParamSpec typing.NewType typing.cast operator.itemgetter '
    'operator.attrgetter operator.methodcaller functools.cached_property builtins.object functools.wraps'.split()
)
_builtins = (
    'abs all any ascii bin bool bytes bytearray chr complex dict divmod enumerate float format hex int len list max min oct ord pow range repr '
    'reversed round slice sorted str sum tuple zip'
).split()
_of_math = 'ceil comb cos exp fabs factorial floor gcd hypot isclose lcm log log10 log2 pow prod radians sin sqrt tan trunc'.split()
# Their value is the same for the same arguments.
reading = frozenset(
    [
        *('builtins.%s' % name for name in _builtins),
        *('collections.%s' % name for name in 'deque Counter OrderedDict defaultdict namedtuple'.split()),
        *('datetime.%s' % name for name in 'date datetime time timedelta timezone'.split()),
        *('numpy.%s' % name for name in 'array zeros ones full arange linspace eye'.split()),
        *('decimal.Decimal', 'fractions.Fraction', 'pathlib.Path', 'pathlib.PurePath', 'pathlib.PurePosixPath', 're.compile', 're.escape'),
        *('typing.NamedTuple', 'typing.TypedDict', 'uuid.UUID', 'zoneinfo.ZoneInfo', 'types.SimpleNamespace', 'types.MappingProxyType'),
        *('math.%s' % name for name in _of_math),
        *('json.dumps', 'json.loads', 'textwrap.dedent', 'textwrap.indent'),
    ]
)
# These do so with sets, too.
of_sets = frozenset('builtins.set builtins.frozenset builtins.len builtins.sorted builtins.bool'.split())
# Their values differ from kernel to kernel in their order or in their texts.
unsettled = frozenset('builtins.set builtins.frozenset builtins.object functools.partial typing.NewType'.split())


def is_known_function(value, known):
    """Whether a value is one of these, by its own module and name."""
    if is_a(value, type) or has_kind(value, _functions):
        name = name_of(value) if is_a(value, type) else value.__name__
        return '%s.%s' % (_modules.get(module_of(value), module_of(value)), name) in known
    return False


_functions = (type(is_known_function), type(len))
_modules = {
    '_functools': 'functools',
    '_operator': 'operator',
    '_collections': 'collections',
    '_decimal': 'decimal',
    '_pydatetime': 'datetime',
    'pathlib._local': 'pathlib',
}
