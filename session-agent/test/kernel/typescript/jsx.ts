// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the programs have templates.
const React =
  'const React = { Fragment: "fragment", createElement: (type: any, props: any, ...children: any[]) => ({ type: typeof type === "function" ? type.name : type, props, children }) };';

/** Programs with JSX for a `React` of their own, each a step. */
export const jsx: string[] = [
  'const el = <div a={1}>hi</div>;\nconsole.log(JSON.stringify(el))',
  'const el = <><b /><i>{1 + 1}</i></>;\nconsole.log(JSON.stringify(el))',
  'const props = { x: 1 };\nconsole.log(JSON.stringify(<p {...props} y="2" z>text</p>))',
  'function Item({ n }: { n: number }) { return <li>{n}</li> }\nconsole.log(JSON.stringify([1, 2].map((n) => <Item key={n} n={n} />)))',
  'const List = <T,>({ of }: { of: T[] }) => <ul>{of.map((x) => <li>{x}</li>)}</ul>;\nconsole.log(JSON.stringify(List({ of: [1] })))',
  'enum E { A = 1 }\nconsole.log(JSON.stringify(<a href={`#${E.A}`} data-x="&amp;">{E.A as number}</a>))',
  'const ok = true;\nconsole.log(JSON.stringify(<div>{ok && <span>yes</span>}{null}</div>))',
  'const ns = { Tag: "tag" };\nconsole.log(JSON.stringify(<ns.Tag />))',
].map((code) => `${React}\n${code}`);
