import {
  blockFunctions,
  declarationNames,
  isLexical,
  lexicalNames,
  patternNames,
  varDeclarations,
} from './declared-names.js';

/**
 * Resolves the names of a program. `references` are the identifiers that mean a name of the top level, or one that the source does not
 * declare: `{node, name, isWritten, isShorthand, isCalled}`. Names under a `with` are left out, as only running the code can tell what
 * they mean. `imports` are the nodes of `import(…)` and `import.meta`. `scopes` are those inside the source, each with the names that
 * functions in it use (`captured`), those that are assigned (`written`), and where a declaration could be added (`markAt`, or null).
 */
export function resolveNames(program) {
  const references = [];
  const imports = [];
  const scopes = new Set();
  const visit = createVisitor({
    onReference(reference, scope) {
      const declaring = declaringScope(scope, reference.name);
      if (declaring === null) return references.push(reference);
      scopes.add(declaring);
      if (reference.isWritten) declaring.written.add(reference.name);
      if (scope.owner !== declaring.owner) declaring.captured.add(reference.name);
    },
    onImport: (node) => imports.push(node),
  });
  for (const node of program.body) visit(node, null);
  return { references, imports, scopes };
}

function declaringScope(scope, name) {
  for (let at = scope; at !== null; at = at.outer) if (at.isDynamic || at.names.has(name)) return at;
  return null;
}

/** `owner` is the function that the scope belongs to. */
function scopeIn(outer, names, { owner = outer?.owner ?? null, markAt = null } = {}) {
  return { outer, names: new Set(names), owner, markAt, captured: new Set(), written: new Set() };
}

/** Returns the position in a block at which its code begins. */
function beginOfBlock({ start, body }) {
  return body.filter(({ directive }) => directive).at(-1)?.end ?? start + 1;
}

function createVisitor({ onReference, onImport }) {
  const visit = (node, scope) => {
    if (node === null || node === undefined) return;
    const visitor = visitors[node.type];
    if (visitor) visitor(node, scope);
    else visitChildren(node, scope);
  };
  const visitAll = (nodes, scope) => {
    for (const node of nodes) visit(node, scope);
  };
  const visitChildren = (node, scope) => {
    for (const key in node) {
      const child = node[key];
      if (Array.isArray(child)) visitAll(child, scope);
      else if (typeof child?.type === 'string') visit(child, scope);
    }
  };
  const read = (node, scope, role = {}) => onReference({ node, name: node.name, ...role }, scope);
  const visitKey = (node, scope) => node.computed && visit(node.key, scope);

  /** Visits the targets of an assignment. */
  const assign = (node, scope, role = {}) => {
    if (node === null) return;
    if (node.type === 'Identifier') read(node, scope, { ...role, isWritten: true });
    else if (node.type === 'RestElement') assign(node.argument, scope);
    else if (node.type === 'ArrayPattern') for (const element of node.elements) assign(element, scope);
    else if (node.type === 'AssignmentPattern') {
      assign(node.left, scope, role);
      visit(node.right, scope);
    } else if (node.type === 'ObjectPattern') {
      for (const property of node.properties) {
        if (property.type === 'RestElement') assign(property.argument, scope);
        else {
          visitKey(property, scope);
          assign(property.value, scope, { isShorthand: property.shorthand });
        }
      }
    } else visit(node, scope);
  };
  /** Visits what a declared pattern evaluates: default values and computed keys. */
  const declare = (node, scope) => {
    if (node === null) return;
    if (node.type === 'RestElement') declare(node.argument, scope);
    else if (node.type === 'ArrayPattern') for (const element of node.elements) declare(element, scope);
    else if (node.type === 'AssignmentPattern') {
      declare(node.left, scope);
      visit(node.right, scope);
    } else if (node.type === 'ObjectPattern') {
      for (const property of node.properties) {
        visitKey(property, scope);
        declare(property.value ?? property.argument, scope);
      }
    }
  };

  const visitFunction = (node, scope) => {
    const isArrow = node.type === 'ArrowFunctionExpression';
    const own = node.type === 'FunctionExpression' && node.id ? scopeIn(scope, [node.id.name]) : scope;
    const hasBlock = node.body.type === 'BlockStatement';
    const markAt = hasBlock ? beginOfBlock(node.body) : null;
    // Other parameters are in a scope of their own, which has no place for a declaration.
    const isSimple = node.params.every(({ type }) => type === 'Identifier');
    const names = [...(isArrow ? [] : ['arguments']), ...patternNames(node.params)];
    const inParameters = scopeIn(own, names, { owner: node, markAt: isSimple ? markAt : null });
    for (const pattern of node.params) declare(pattern, inParameters);
    if (hasBlock) visitBody(node.body.body, inParameters, markAt);
    else visit(node.body, inParameters);
  };
  /** Visits the statements of a function, in which `var` is declared as well. */
  const visitBody = (body, scope, markAt = null) => {
    const vars = body.flatMap((node) => [...varDeclarations(node)]);
    const hoisted = vars.flatMap(({ declaration }) => declarationNames(declaration));
    const functions = body.flatMap((node) => [...blockFunctions(node)]);
    visitAll(body, scopeIn(scope, [...lexicalNames(body), ...hoisted, ...functions], { markAt }));
  };
  const visitClass = (node, scope) => {
    const inside = node.id ? scopeIn(scope, [node.id.name]) : scope;
    visit(node.superClass, inside);
    visitAll(node.body.body, inside);
  };
  const visitMember = (node, scope) => {
    visitKey(node, scope);
    visit(node.value, scope);
  };
  const visitLoop = (node, scope) => {
    const head = node.init ?? node.left;
    const inside = isLexical(head) ? scopeIn(scope, declarationNames(head)) : scope;
    if (node.left && node.left.type !== 'VariableDeclaration') assign(node.left, inside);
    else visit(head, inside);
    for (const part of [node.test, node.update, node.right, node.body]) visit(part, inside);
  };
  const ignore = () => {};

  const visitors = {
    Identifier: (node, scope) => read(node, scope),
    FunctionDeclaration: visitFunction,
    FunctionExpression: visitFunction,
    ArrowFunctionExpression: visitFunction,
    ClassDeclaration: visitClass,
    ClassExpression: visitClass,
    MethodDefinition: visitMember,
    PropertyDefinition: visitMember,
    StaticBlock: (node, scope) => visitBody(node.body, scopeIn(scope, [], { owner: node })),
    BlockStatement: (node, scope) =>
      visitAll(node.body, scopeIn(scope, lexicalNames(node.body), { markAt: beginOfBlock(node) })),
    ForStatement: visitLoop,
    ForInStatement: visitLoop,
    ForOfStatement: visitLoop,
    SwitchStatement(node, scope) {
      visit(node.discriminant, scope);
      visitAll(node.cases, scopeIn(scope, lexicalNames(node.cases.flatMap(({ consequent }) => consequent))));
    },
    CatchClause({ param, body }, scope) {
      const inside = scopeIn(scope, patternNames([param]));
      declare(param, inside);
      visit(body, inside);
    },
    WithStatement({ object, body }, scope) {
      visit(object, scope);
      visit(body, { ...scopeIn(scope, []), isDynamic: true });
    },
    VariableDeclarator({ id, init }, scope) {
      declare(id, scope);
      visit(init, scope);
    },
    AssignmentExpression({ left, right }, scope) {
      assign(left, scope);
      visit(right, scope);
    },
    UpdateExpression: ({ argument }, scope) => assign(argument, scope),
    MemberExpression({ object, property, computed }, scope) {
      visit(object, scope);
      if (computed) visit(property, scope);
    },
    Property(node, scope) {
      visitKey(node, scope);
      if (node.shorthand) read(node.value, scope, { isShorthand: true });
      else visit(node.value, scope);
    },
    CallExpression({ callee, arguments: list }, scope) {
      if (callee.type === 'Identifier') read(callee, scope, { isCalled: true });
      else visit(callee, scope);
      visitAll(list, scope);
    },
    TaggedTemplateExpression({ tag, quasi }, scope) {
      if (tag.type === 'Identifier') read(tag, scope, { isCalled: true });
      else visit(tag, scope);
      visit(quasi, scope);
    },
    LabeledStatement: ({ body }, scope) => visit(body, scope),
    BreakStatement: ignore,
    ContinueStatement: ignore,
    MetaProperty: (node) => node.meta.name === 'import' && onImport(node),
    ImportExpression(node, scope) {
      onImport(node);
      visitChildren(node, scope);
    },
    ImportDeclaration: ignore,
    ExportAllDeclaration: ignore,
    ExportNamedDeclaration: ({ declaration }, scope) => visit(declaration, scope),
  };
  return visit;
}
