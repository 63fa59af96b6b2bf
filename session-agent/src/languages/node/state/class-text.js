import { Refusal } from './refusal.js';

/** Reads the text of a class: the members that evaluating it makes, and whether it extends another one. */
export function readClass(text, { node, offset }) {
  const members = [];
  for (const member of node.body.body) {
    const { type, computed, key, static: isStatic, kind, start, end } = member;
    if (computed) throw new Refusal('It has a member with a computed name.');
    if (type === 'AccessorProperty' || member.decorators?.length > 0) throw new Refusal('It has decorators.');
    if (type === 'PropertyDefinition' && isStatic && key.type === 'PrivateIdentifier')
      throw new Refusal('It has a private static field.');
    if (type !== 'MethodDefinition' || kind === 'constructor' || key.type === 'PrivateIdentifier') continue;
    const name = key.name ?? String(key.value);
    const part = kind === 'method' ? 'value' : kind;
    const written = text.slice(start - offset, end - offset).replace(/^static\s+/, '');
    members.push({ isStatic, key: name, part, text: written });
  }
  return { members, hasHeritage: node.superClass !== null };
}

/** The name by which the source for evaluation calls what the class extends. */
export const heritageName = '$heritage$';

/**
 * Returns the source for evaluation, with what the class extends replaced by a name, and without that which would run once more: the values of
 * static members, which come from the snapshot.
 */
export function classForEvaluation(text, { node, offset }, index) {
  const cuts = [];
  const { superClass } = node;
  if (superClass) cuts.push([superClass.start, superClass.end, `${heritageName}[${index}]`]);
  for (const member of node.body.body) {
    const isStaticField = member.type === 'PropertyDefinition' && member.static;
    if (isStaticField || member.type === 'StaticBlock') cuts.push([member.start, member.end, ';']);
  }
  let source = '';
  let from = 0;
  for (const [start, end, instead] of cuts) {
    source += text.slice(from, start - offset) + instead;
    from = end - offset;
  }
  return source + text.slice(from);
}
