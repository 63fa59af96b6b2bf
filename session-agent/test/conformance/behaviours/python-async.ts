import type { Behaviour } from './run-behaviours.ts';

const jupyter = 'IPython: autoawait, on one loop that lives as long as the kernel';
const asyncio = 'library reference: asyncio';

/** Top-level await, the event loop, tasks between steps, context variables. */
export const asynchronous: Behaviour[] = [
  {
    name: 'await works at top level',
    source: jupyter,
    steps: [{ code: 'import asyncio\nawait asyncio.sleep(0, 7)', shown: '7' }],
  },
  {
    name: 'await works inside expressions and statements',
    source: jupyter,
    steps: [
      {
        code: 'async def f(x): return x * 2\ntotal = sum([await f(i) for i in range(4)])\nif await f(1): total += await f(1)\ntotal',
        shown: '14',
      },
    ],
  },
  {
    name: 'async for works at top level',
    source: jupyter,
    steps: [
      { code: 'async def g():\n  for i in range(3): yield i\nasync for i in g(): print(i)', stdout: '0\n1\n2\n' },
    ],
  },
  {
    name: 'async comprehensions work at top level',
    source: jupyter,
    steps: [{ code: 'async def g():\n  yield 1\n  yield 2\n[i async for i in g()]', shown: '[1, 2]' }],
  },
  {
    name: 'async with works at top level',
    source: jupyter,
    steps: [
      {
        code: 'import contextlib\n@contextlib.asynccontextmanager\nasync def c():\n  print("in"); yield 5; print("out")\nasync with c() as v: print(v)',
        stdout: 'in\n5\nout\n',
      },
    ],
  },
  {
    name: 'names that an awaiting step binds stay',
    source: jupyter,
    steps: [{ code: 'import asyncio\nx = await asyncio.sleep(0, 3)' }, { code: 'x', shown: '3' }],
  },
  {
    name: 'an error in an awaited function fails the step',
    source: jupyter,
    steps: [
      {
        code: 'async def f(): raise KeyError("k")\nawait f()',
        error: {
          name: 'KeyError',
          message: "'k'",
          traceback: /^Traceback[^\n]*\n {2}File "<step 1>", line 2(?![\s\S]*asyncio)/,
        },
      },
    ],
  },
  {
    name: 'the loop lives from step to step',
    source: jupyter,
    steps: [
      { code: 'import asyncio\nl = asyncio.get_running_loop(); await asyncio.sleep(0)' },
      { code: 'await asyncio.sleep(0); l is asyncio.get_running_loop()', shown: 'True' },
    ],
  },
  {
    name: 'locks, queues and events of one step work in the next',
    source: asyncio,
    steps: [
      { code: 'import asyncio\nq = asyncio.Queue(); await q.put(1); e = asyncio.Event()' },
      { code: 'e.set(); await e.wait(); await q.get()', shown: '1' },
    ],
  },
  {
    name: 'a step can await a task of an earlier step',
    source: jupyter,
    steps: [
      { code: 'import asyncio\nasync def f(): await asyncio.sleep(0.02); return 5\nt = asyncio.create_task(f())' },
      { code: 'await t', shown: '5' },
    ],
  },
  {
    name: 'create_task works in a step that awaits nothing',
    source: 'IPython: the loop runs in every cell',
    steps: [
      { code: 'import asyncio\nasync def f(): return 6' },
      { code: 't = asyncio.create_task(f()); t.done()', shown: 'False' },
      { code: 'await t', shown: '6' },
    ],
  },
  {
    name: 'tasks go on between steps',
    source: jupyter,
    steps: [
      {
        code: 'import asyncio\nasync def f():\n  await asyncio.sleep(0.01); print("went on")\nt = asyncio.create_task(f())',
        background: 'went on\n',
      },
    ],
  },
  {
    name: 'timers and servers go on between steps',
    source: jupyter,
    steps: [
      {
        code: 'import asyncio\nloop = asyncio.get_running_loop()\nloop.call_later(0.01, print, "rang"); None',
        background: 'rang\n',
      },
    ],
  },
  {
    name: 'asyncio.run works in a step',
    source: 'library reference: asyncio.run in a script',
    steps: [{ code: 'import asyncio\nasync def main(): return 4\nasyncio.run(main())', shown: '4' }],
  },
  {
    name: 'asyncio.run works beside top-level await',
    source: 'languages/python/README.md',
    steps: [
      {
        code: 'import asyncio\nasync def main(): await asyncio.sleep(0.01); return 4\nawait asyncio.sleep(0)\nx = asyncio.run(main())\nawait asyncio.sleep(0)\nx',
        shown: '4',
      },
    ],
  },
  {
    name: 'asyncio.run works inside an awaited coroutine’s call',
    source: 'languages/python/README.md',
    steps: [
      {
        code: 'import asyncio\nasync def inner(): return asyncio.current_task() is not None\nasync def outer():\n  before = asyncio.current_task()\n  return asyncio.run(inner()) and asyncio.current_task() is before\nawait outer()',
        shown: 'True',
      },
    ],
  },
  {
    name: 'the loop of the steps survives asyncio.run',
    source: asyncio,
    steps: [
      { code: 'import asyncio\nq = asyncio.Queue()\nasync def f(): return 1\nasyncio.run(f())', shown: '1' },
      { code: 'await q.put(2); await q.get()', shown: '2' },
    ],
  },
  {
    name: 'run_until_complete works in a step that awaits nothing',
    source: 'scripts before asyncio.run',
    steps: [
      {
        code: 'import asyncio\nasync def f(): return 8\nloop = asyncio.get_event_loop()\nloop.run_until_complete(f())',
        shown: '8',
      },
      { code: 'loop.run_until_complete(asyncio.gather(f(), f()))', shown: '[8, 8]' },
    ],
  },
  {
    name: 'a loop that the step makes itself works',
    source: asyncio,
    steps: [
      {
        code: 'import asyncio\nasync def f(): return 1\nloop = asyncio.new_event_loop()\ntry: r = loop.run_until_complete(f())\nfinally: loop.close()\nr',
        shown: '1',
      },
    ],
  },
  {
    name: 'gather, wait_for and timeouts work',
    source: asyncio,
    steps: [
      {
        code: 'import asyncio\ntry: await asyncio.wait_for(asyncio.sleep(9), 0.01)\nexcept asyncio.TimeoutError: print("late")\nawait asyncio.gather(asyncio.sleep(0, 1), asyncio.sleep(0, 2))',
        stdout: 'late\n',
        shown: '[1, 2]',
      },
    ],
  },
  {
    name: 'subprocesses of asyncio work',
    source: asyncio,
    steps: [
      {
        code: 'import asyncio\np = await asyncio.create_subprocess_exec("echo", "hello", stdout=asyncio.subprocess.PIPE)\n(await p.communicate())[0]',
        shown: "b'hello\\n'",
      },
    ],
  },
  {
    name: 'to_thread works, and its output belongs to the step',
    source: asyncio,
    steps: [
      { code: 'import asyncio\nawait asyncio.to_thread(print, "from thread")', stdout: 'from thread\n' },
      { code: 'await asyncio.to_thread(print, "again")', stdout: 'again\n' },
    ],
  },
  {
    name: 'await in a nested plain function is a SyntaxError',
    source: 'Python language reference, 6.4',
    steps: [{ code: 'def f():\n  await x', error: { name: 'SyntaxError', message: /'await' outside async function/ } }],
  },
  {
    name: 'a coroutine that is not awaited is shown and not run',
    source: 'IPython',
    steps: [
      { code: 'async def f(): print("ran")\nc = f(); type(c).__name__', shown: "'coroutine'" },
      { code: 'c.close()' },
    ],
  },
  {
    name: 'an interrupt runs the finally blocks of the awaited coroutine',
    source: asyncio,
    steps: [
      {
        code: 'import asyncio\nprint("up", flush=True)\ntry: await asyncio.sleep(60)\nfinally: print("cleaned")',
        interruptAt: 'up',
        status: 'interrupted',
        stdout: 'up\ncleaned\n',
        error: { name: 'KeyboardInterrupt' },
      },
      { code: 'await asyncio.sleep(0, 1)', shown: '1' },
    ],
  },
  {
    name: 'an interrupt of an awaiting step leaves other tasks alone',
    source: asyncio,
    steps: [
      {
        code: 'import asyncio\nasync def f():\n  await asyncio.sleep(0.3); return "alive"\nt = asyncio.create_task(f())\nprint("up", flush=True)\nawait asyncio.sleep(60)',
        interruptAt: 'up',
        status: 'interrupted',
        stdout: 'up\n',
        error: { name: 'KeyboardInterrupt' },
      },
      { code: 'await t', shown: "'alive'" },
    ],
  },
  {
    name: 'current_task works in a step',
    source: asyncio,
    steps: [
      {
        code: 'import asyncio\nawait asyncio.sleep(0)\nisinstance(asyncio.current_task(), asyncio.Task)',
        shown: 'True',
      },
    ],
  },
  {
    name: 'sys.exit in an awaiting step ends the step',
    source: 'library reference: sys.exit',
    steps: [
      {
        code: 'import asyncio, sys\nawait asyncio.sleep(0)\nsys.exit(3)',
        exitCode: 3,
        error: { name: 'SystemExit', message: '3' },
      },
      { code: 'await asyncio.sleep(0, "on")', shown: "'on'" },
    ],
  },
  {
    name: 'context variables stay from step to step',
    source: 'PEP 567; a REPL has one context',
    steps: [
      { code: 'import contextvars\nv = contextvars.ContextVar("v"); t = v.set(1)' },
      { code: 'v.get()', shown: '1' },
      { code: 'v.reset(t); v.get("gone")', shown: "'gone'" },
    ],
  },
  {
    name: 'context variables that an awaiting step sets stay',
    source: 'PEP 567',
    steps: [
      { code: 'import asyncio, contextvars\nv = contextvars.ContextVar("v"); await asyncio.sleep(0); _t = v.set(2)' },
      { code: 'v.get()', shown: '2' },
      { code: 'await asyncio.sleep(0); v.get()', shown: '2' },
    ],
  },
  {
    name: 'tasks get a copy of the context',
    source: 'PEP 567',
    steps: [
      {
        code: 'import asyncio, contextvars\nv = contextvars.ContextVar("v", default=0)\nasync def f(): v.set(9)\nawait asyncio.create_task(f()); v.get()',
        shown: '0',
      },
    ],
  },
];
