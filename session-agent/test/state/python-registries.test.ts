import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { recoveredAfter } from '../support/recovered-after.ts';
import { manifestOf, saveState } from '../support/state.ts';

test.each([
  [
    'dialects',
    'import csv\ncsv.register_dialect("mine", delimiter=";", quoting=csv.QUOTE_ALL); csv.unregister_dialect("unix"); _ = csv.field_size_limit(99)',
    'csv.get_dialect("mine").delimiter, csv.get_dialect("mine").quoting, csv.list_dialects(), csv.field_size_limit()',
    "(';', 1, ['excel', 'excel-tab', 'mine'], 99)",
  ],
  [
    'classes that count as those of abstract classes',
    'import abc, collections.abc as c, numbers\nclass Own(abc.ABC): pass\nclass V: pass\n_ = Own.register(V), Own.register(int), c.Sequence.register(V), numbers.Number.register(V)',
    'isinstance(V(), Own), isinstance(3, Own), isinstance(V(), c.Sequence), issubclass(V, numbers.Number)',
    '(True, True, True, True)',
  ],
  [
    'what handlers and formatters have of their own',
    `import logging, sys
handler = logging.StreamHandler(); handler.terminator = "!"; handler.set_name("h"); logging.root.addHandler(handler)
formatter = logging.Formatter("%(message)s"); formatter.default_time_format = "%H"; handler.setFormatter(formatter)
if sys.version_info >= (3, 10): handler.setFormatter(logging.Formatter("%(message)s %(me)s", defaults={"me": ""}))
handler.formatter.converter = 5; del handler, formatter`,
    'handler = logging.root.handlers[0]\nhandler.terminator, handler.get_name(), handler.formatter.converter, logging.root.error("x")',
    "('!', 'h', 5, None)",
  ],
  [
    'names of levels, and what makes records and loggers',
    `import logging
class Own(logging.Logger): pass
logging.addLevelName(25, "NOTE"); logging.addLevelName(20, "info"); logging.setLoggerClass(Own)
def made(*parts, **options):
  record = logging.LogRecord(*parts, **options); record.own = 1; return record
logging.setLogRecordFactory(made)`,
    'logging.getLevelName(25), logging.getLevelName(20), type(logging.getLogger("new")) is Own, logging.getLogger("new").makeRecord("n", 1, "", 1, "", (), None).own',
    "('NOTE', 'info', True, 1)",
  ],
  [
    'coders in the middle of a text',
    'import codecs\nmid = [codecs.getincrementaldecoder(name)() for name in ("utf-8", "gb2312")]; _ = mid[0].decode(b"\\xe2\\x82"), mid[1].decode(b"\\xd6")\nto = codecs.getincrementalencoder("iso2022_jp")(); _ = to.encode("\\u3042")',
    'mid[0].decode(b"\\xac"), mid[1].decode(b"\\xd0"), to.encode("\\u3042")',
    "('€', '中', b'$\"')",
  ],
  ['the first day of the week', 'import calendar; calendar.setfirstweekday(6)', 'calendar.firstweekday()', '6'],
])('brings back %s', async (_title, code, check, shown) => {
  const { kernel, lost } = await recoveredAfter(code);
  await using _kernel = kernel;
  expect(lost).toEqual([]);
  expect((await kernel.run(check)).shown).toBe(shown);
});

test.each([
  ['csv.register_dialect("mine", delimiter=";")', ['(csv dialects)']],
  ['c.Sequence.register(V)', ['(registered classes)']],
  ['logging.addLevelName(5, "FINE")', ['(logging)']],
  ['import calendar; calendar.setfirstweekday(6)', ['(first day of the week)']],
])('after a later step that ran %j, %j are lost', async (later, names) => {
  const { kernel, lost } = await recoveredAfter('import csv, logging, collections.abc as c\nclass V: pass', later);
  await using _kernel = kernel;
  expect(lost).toEqual(names);
});

test.each([
  ['%precision 2', ['(IPython settings)']],
  ['%alias greet echo hello', ['(IPython settings)']],
  ['%load_ext autoreload', ['(IPython settings)']],
  ['%config InteractiveShell.ast_node_interactivity = "all"', ['(IPython settings)']],
  ['!true\n%cd -q .\n%env A=b\nget_ipython()', []],
  ['import sys; sys.setprofile(lambda *_: None)', ['(profile function)']],
  ['import threading; threading.settrace(lambda *_: None)', ['(trace function)']],
])('a snapshot after %j lists as not saved: %j', async (code, names) => {
  await using kernel = await openKernel('python');
  expect((await kernel.run(code)).error).toBeUndefined();
  const { notSaved } = manifestOf(await saveState(kernel.kernel));
  expect(notSaved.map(({ name }) => name)).toEqual(names);
});
