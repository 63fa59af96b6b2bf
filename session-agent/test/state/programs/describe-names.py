def _describe(without):
    """Describes every name in a form in which equal states are equal texts. Objects have numbers, by which names that share them are found."""
    import collections, enum, functools, inspect, json, types
    main, numbers, plain = globals(), {}, (int, float, complex, str, bytes, bool, type(None), type(...), type(NotImplemented), range, slice)
    skipped = {'__dict__', '__weakref__', '__module__', '__firstlineno__', '__static_attributes__', '__dataclass_fields__', '__dataclass_params__'}
    skipped |= {'__abstractmethods__', '_abc_impl', '__slotnames__', '__match_args__', '__replace__'}
    def shown_code(code):
        parts = [shown_code(part) if isinstance(part, types.CodeType) else repr(part) for part in code.co_consts]
        return '%s %s %s %s %s %s' % (code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_flags, parts)
    def source_of(function):
        try: return inspect.getsource(function).rstrip()
        except OSError: return 'no source'
    def describe(value):
        seen, objects, alive = {}, [], []
        def each(values): return ', '.join(show(one) for one in values)
        def pairs(items): return ', '.join('%s: %s' % (show(key), show(one)) for key, one in items)
        def show(v):
            if type(v) in plain or isinstance(v, types.BuiltinFunctionType) and v.__self__ is None: return repr(v)
            if isinstance(v, types.ModuleType): return 'module ' + v.__name__
            if isinstance(v, type) and v.__module__ != '__main__': return 'type %s.%s' % (v.__module__, v.__qualname__)
            if type(v) is tuple: return '(%s)' % each(v)
            if type(v) is frozenset: return 'frozen' + str(sorted(map(show, v)))
            if type(v).__module__ in ('datetime', 're', 'decimal'): return repr(v)
            if id(v) in seen: return '#%d' % seen[id(v)]
            seen[id(v)] = len(seen)
            objects.append(numbers.setdefault(id(v), len(numbers)))
            return part(v)
        def part(v):
            if type(v) is list: return '[%s]' % each(v)
            if type(v) is dict: return '{%s}' % pairs(v.items())
            if type(v) is set: return 'set' + str(sorted(map(show, v)))
            if type(v) is collections.deque: return 'deque %s [%s]' % (v.maxlen, each(v))
            if type(v) is collections.defaultdict: return 'default %s {%s}' % (show(v.default_factory), pairs(v.items()))
            if isinstance(v, types.CellType): return 'cell ' + (show(v.cell_contents) if full(v) else 'empty')
            if isinstance(v, types.MethodType): return 'method %s of %s' % (show(v.__func__), show(v.__self__))
            if isinstance(v, types.BuiltinFunctionType): return 'method %s of %s' % (v.__name__, show(v.__self__))
            if isinstance(v, functools.partial): return 'partial %s (%s) {%s}' % (show(v.func), each(v.args), pairs(v.keywords.items()))
            if isinstance(v, functools._lru_cache_wrapper): return 'cached %s %s' % (v.cache_parameters(), show(v.__wrapped__))
            if isinstance(v, types.FunctionType):
                own = 'own ' if v.__globals__ is main else 'foreign '
                rest = (v.__defaults__ or (), tuple((v.__kwdefaults__ or {}).items()), tuple(v.__dict__.items()), tuple(v.__annotations__.items()))
                return '%s%s %s %r %s %r [%s] %s' % (own, v.__name__, v.__qualname__, v.__doc__, shown_code(v.__code__), source_of(v), each(v.__closure__ or ()), each(rest))
            if isinstance(v, (staticmethod, classmethod)): return type(v).__name__ + ' ' + show(v.__func__)
            if isinstance(v, property): return 'property ' + each((v.fget, v.fset, v.fdel))
            if isinstance(v, enum.Enum): return 'member %s of %s' % (v.name, show(type(v)))
            if isinstance(v, type):
                if issubclass(v, enum.Enum): return 'enum %s %s' % (v.__name__, [(one.name, one.value) for one in v])
                members = [(key, one) for key, one in sorted(vars(v).items()) if key not in skipped]
                return 'class %s %s <%s> {%s}' % (v.__name__, v.__qualname__, each(v.__bases__), pairs(members))
            if isinstance(v, types.MemberDescriptorType): return 'slot ' + v.__name__
            slots = [(key, getattr(v, key)) for kind in type(v).__mro__ for key in getattr(kind, '__slots__', ()) if hasattr(v, key)]
            arguments = v.args if isinstance(v, BaseException) else ()
            return 'one of %s (%s) {%s}' % (show(type(v)), each(arguments), pairs([*getattr(v, '__dict__', {}).items(), *slots]))
        def full(cell):
            try: cell.cell_contents
            except ValueError: return False
            return True
        return {'shown': show(value), 'objects': objects}
    left_out = {'In', 'Out', 'get_ipython', 'exit', 'quit', 'open', *without}
    alive = {name: value for name, value in main.items() if not name.startswith('_') and name not in left_out}
    print(json.dumps({name: describe(alive[name]) for name in sorted(alive)}))
