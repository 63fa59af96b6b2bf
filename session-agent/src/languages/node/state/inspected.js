import { users } from '../realm/users-realm.js';

const group = 'state';
const { defineProperty } = Object;

/**
 * Looks into values with the inspector, which runs none of their code: the variables around a function, and private members. `release`
 * lets go of what the looks have held.
 */
export function createInspected({ session, realValue }) {
  const holder = new users.Object();
  defineProperty(users, '$holder$', { value: holder, configurable: true });
  let holderId;
  session.post('Runtime.evaluate', { expression: '$holder$' }, (_error, { result }) => {
    holderId = result.objectId;
  });
  delete users.$holder$;

  const post = (method, params) => {
    let answer = null;
    session.post(method, params, (error, result) => {
      if (!error) answer = result;
    });
    return answer;
  };
  const propertiesOf = (objectId) => post('Runtime.getProperties', { objectId, ownProperties: true });
  const remoteOf = (value) => {
    defineProperty(holder, 'value', { value, configurable: true });
    const functionDeclaration = 'function () { return this.value; }';
    const answer = post('Runtime.callFunctionOn', { functionDeclaration, objectId: holderId, objectGroup: group });
    delete holder.value;
    return answer.result;
  };
  const urls = new Map();
  session.listen((method, { scriptId, url }) => method === 'Debugger.scriptParsed' && urls.set(scriptId, url));
  /** The debugger names all scripts when it begins, and is in nothing's way afterwards. */
  const urlOf = (scriptId) => {
    if (!urls.has(scriptId)) {
      post('Debugger.enable', {});
      post('Debugger.disable', {});
    }
    return urls.get(scriptId);
  };
  const internal = (value, name) => {
    const { internalProperties = [] } = propertiesOf(remoteOf(value).objectId);
    return internalProperties.find((property) => property.name === name)?.value ?? null;
  };

  return {
    /**
     * Returns the scopes around a function, innermost first, without those of scripts: `{type, variables}`. `variables` maps names to
     * values. Null if the function is not one of JavaScript code.
     */
    scopesOf(value) {
      const scopes = internal(value, '[[Scopes]]');
      if (scopes === null) return null;
      const listed = propertiesOf(scopes.objectId).result.filter(({ name }) => /^\d+$/.test(name));
      return listed
        .map(({ value: scope }) => ({ type: scope.description.split(' ')[0], objectId: scope.objectId }))
        .filter(({ type }) => type !== 'Global' && type !== 'Script')
        .map(({ type, objectId }) => ({ type, variables: variablesOf(objectId) }));
    },
    /** Whether a step, or a recovery, has made the function. */
    isOfSteps(value) {
      const location = internal(value, '[[FunctionLocation]]');
      return location !== null && /^\[(step-\d+|recovered)\]$/.test(urlOf(location.value.scriptId) ?? '');
    },
    /** Returns `{state, value}` of a promise. */
    promiseOf(value) {
      return {
        state: internal(value, '[[PromiseState]]')?.value,
        value: realValue(internal(value, '[[PromiseResult]]')),
      };
    },
    /** The keys of a typed array without its indexes. */
    namedKeysOf(value) {
      const { objectId } = remoteOf(value);
      const { result } = post('Runtime.getProperties', {
        objectId,
        ownProperties: true,
        nonIndexedPropertiesOnly: true,
      });
      return result.filter(({ isOwn }) => isOwn).map(({ name, symbol }) => (symbol ? realValue(symbol) : name));
    },
    hasPrivateMembers: (value) => (propertiesOf(remoteOf(value).objectId).privateProperties ?? []).length > 0,
    release: () => session.post('Runtime.releaseObjectGroup', { objectGroup: group }),
  };

  function variablesOf(objectId) {
    const variables = new Map();
    for (const { name, value } of propertiesOf(objectId).result) {
      if (value !== undefined) variables.set(name, realValue(value));
    }
    return variables;
  }
}
