/** How a name is bound at a point of a session, as far as the generated code has to know. */
type Binding = { isConstant: boolean; isCallable: boolean; reads: readonly string[] };
type Step = { bindings: Map<string, Binding>; declared: Set<string>; planned: readonly string[] };
type Draw = (below: number) => number;

const pool = ['a', 'b', 'c', 'd', 'e', '$f', 'été'];

/**
 * Writes a session of steps from a tape of numbers: declarations of all kinds, scopes that hide names, assignments in all forms, texts,
 * templates and regular expressions that look like code. Each step logs what it does. A later step may declare every name anew.
 */
export function writeSession(
  tape: readonly number[],
  { steps, statements }: { steps: number; statements: number },
): string[] {
  let at = 0;
  const draw: Draw = (below) => (tape[at++ % tape.length] ?? 0) % below;
  const bindings = new Map<string, Binding>();
  return Array.from({ length: steps }, () => {
    const lines: string[] = [];
    const declared = new Set<string>();
    // A step does not use a name of an earlier step before it declares the name anew.
    const planned = pool.filter(() => draw(3) === 0);
    for (const [name, { reads }] of bindings) {
      if (planned.includes(name) || reads.some((read) => planned.includes(read))) bindings.delete(name);
    }
    for (let count = 0; count < statements; count++) lines.push(statement(draw, { bindings, declared, planned }));
    lines.push(`log(${[...bindings.keys()].map(shown).join(', ')});`);
    return lines.join('\n');
  });
}

const shown = (name: string) => `typeof ${name} === 'function' ? typeof ${name} : ${name}`;

function statement(draw: Draw, { bindings, declared, planned }: Step): string {
  const free = planned.filter((name) => !declared.has(name));
  const known = [...bindings.keys()];
  if (free.length > 0 && (known.length < 2 || draw(5) < 2)) return declaration(draw, bindings, declared, free);
  const name = known[draw(known.length)];
  if (name === undefined) return `log(${expression(draw, bindings, [])});`;
  return draw(2) === 0 ? attempt(draw, bindings, name) : hiding(draw, bindings, name);
}

/** Declares one or two names. Functions that read a name as it was before can no longer be compared, so they are forgotten. */
function declaration(draw: Draw, bindings: Map<string, Binding>, declared: Set<string>, free: string[]): string {
  const first = free[draw(free.length)] ?? '';
  const second = free.find((name) => name !== first);
  const value = expression(draw, bindings, [first, second]);
  const literal = expression(draw, new Map(), []);
  const keyword = ['let', 'const', 'var'][draw(3)] ?? '';
  const bind = (name: string, binding: Partial<Binding> = {}) => {
    for (const [other, { reads }] of bindings) if (reads.includes(name)) bindings.delete(other);
    bindings.set(name, { isConstant: keyword === 'const', isCallable: false, reads: [], ...binding });
    declared.add(name);
  };
  const plain = [...bindings.keys()].filter((name) => declared.has(name) && !bindings.get(name)?.isCallable);
  const read = plain.filter((name) => name !== first && name !== second).slice(0, 2);
  const both = second !== undefined && draw(2) === 0;
  const form = draw(8);
  if (form === 0) {
    bind(first, { isConstant: false, isCallable: true, reads: read });
    return `function ${first}(x = ${literal}) { ${read.map((name) => `try { ${name} += 1 } catch (error) { log(error.message) }`).join(' ')} return x }`;
  }
  if (form === 1) {
    bind(first, { isConstant: false });
    return `class ${first} { static ${first} = 1; static { let ${first} = 2; ${first} = 3; log(${first}) } }`;
  }
  if (form === 2) {
    bind(first, { isCallable: true, reads: read });
    return `${keyword} ${first} = (x = ${literal}) => { ${read.map((name) => `log(${shown(name)});`).join(' ')} return x };`;
  }
  if (second === undefined || !both) {
    bind(first);
    return keyword !== 'const' && draw(4) === 0
      ? `${keyword} ${first} = undefined;`
      : `${keyword} ${first} = ${value};${draw(2) ? '' : ' /* ; */'}`;
  }
  bind(first);
  bind(second);
  const patterns = [
    `${first} = ${value}, ${second} = 2;`,
    `{ ${first}, x: ${second} = ${value} } = { ${first}: ${value} };`,
    `[${first}, ...${second}] = [${value}, 2, 3];`,
    `{ ${first} = 4, ...${second} } = { y: 1 };`,
  ];
  return `${keyword} ${patterns[draw(patterns.length)]}`;
}

/** Assigns to a name in one of all ways, or calls it. */
function attempt(draw: Draw, bindings: Map<string, Binding>, name: string): string {
  const value = expression(draw, bindings, []);
  if (bindings.get(name)?.isCallable && draw(2) === 0) return `log(${name}(${draw(2) ? value : ''}));`;
  const forms = [
    `${name} = ${value}`,
    // The text of a function, which `+` would show, is that of the rewritten one.
    `${name} ${bindings.get(name)?.isCallable ? '-' : '+'}= ${value}`,
    `${name}++`,
    `--${name}`,
    `${name} ||= ${value}`,
    `${name} &&= ${value}`,
    `${name} ??= ${value}`,
    `[${name}] = [${value}]`,
    `({ ${name} } = { ${name}: ${value} })`,
    `({ x: ${name} = ${value}, ...{} } = {})`.replace(', ...{}', ''),
    `[[${name} = ${value}] = []] = []`,
    `for (${name} of [${value}]) log(${draw(9)})`,
    `for ([${name}] of [[${value}]]);`,
    `for (${name} in { key: 1 });`,
    `(() => { ${name} = ${value} })()`,
    `await (async () => { await null; ${name} = ${value} })()`,
    `((x = (${name} = ${value})) => x)()`,
    `(class { static x = (${name} = ${value}) })`,
  ];
  // A called name keeps its kind, so that it can be called again.
  const form = forms[draw(forms.length)];
  const binding = bindings.get(name);
  if (binding && !binding.isConstant) bindings.set(name, { ...binding, isCallable: false });
  return `try { ${form}; log('done') } catch (error) { log(error.name, error.message) }`;
}

/** Uses a name that means something else there: another scope, a property, a label, a text. */
function hiding(draw: Draw, bindings: Map<string, Binding>, name: string): string {
  const value = expression(draw, bindings, [name]);
  const forms = [
    `{ let ${name} = ${value}; ${name} += 1; log(${name}) }`,
    `log(((${name}) => { ${name} = 5; return ${name} })(1));`,
    `log((function ({ ${name} = 1 }, ...rest) { ${name}++; return ${name} })({}));`,
    `try { throw ${value} } catch (${name}) { ${name} = 2; log(${name}) }`,
    `for (let ${name} = 0; ${name} < 2; ${name}++) log(${name});`,
    `for (const ${name} of [1, 2]) { log(${name}) }`,
    `switch (1) { case 1: let ${name} = 3; ${name}++; log(${name}) }`,
    `(() => { if (true) { var ${name} = 1 } ${name} = 2; log(${name}) })();`,
    `(() => { ${name}(); function ${name}() { log('inner') } })();`,
    `log((class ${name} { static ${name} = 4; ${name}() {} }).${name});`,
    `log({ ${name}: ${value}, get x() { return this.${name} } }.x);`,
    `${name}: for (;;) { break ${name} }`,
    `log('const ${name} = 1; ${name} = 2', "${name}++", \`${name} = \${${value}} \${\`\${${value}} ${name}++\`}\`);`,
    `log(/const ${name} = [/"'\`]1/.test('const ${name} = /1'), 8 / 2 / 1); // ${name} = 1`,
    `/* ${name} = 1; const ${name} */ log(typeof ${name});`,
    `log([1, 2].map((x) => { const ${name} = x; return ${name} * 2 }).join());`,
    `log(((x, { y: ${name} } = { y: x }) => ${name})(${value}));`,
  ];
  return forms[draw(forms.length)] ?? '';
}

function expression(draw: Draw, bindings: Map<string, Binding>, except: readonly (string | undefined)[]): string {
  const names = [...bindings.keys()].filter((name) => !except.includes(name) && !bindings.get(name)?.isCallable);
  const name = names[draw(Math.max(1, names.length))];
  const forms = [
    String(draw(9)),
    `'${draw(9)};'`,
    `[${draw(9)}].length`,
    `\`\${${draw(9)}}\``,
    `(${draw(9)} > 4 ? 1 : 'x')`,
  ];
  if (name) forms.push(`(${shown(name)})`, `typeof ${name}`, `[${draw(9)}, (${shown(name)})].join()`);
  return forms[draw(forms.length)] ?? '0';
}
