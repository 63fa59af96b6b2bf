// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the programs have templates.
/** Programs with classes, accessors and standard decorators, each a step. */
export const classes: string[] = [
  'class P { constructor(private readonly a: number, public b = 2, protected c?: string) {} get() { return this.a } }\nconsole.log(new P(1).get(), new P(1))',
  'class B { constructor(public x: number) {} }\nclass C extends B { constructor(public y: number) { super(y * 2) } }\nconsole.log(new C(2))',
  'class P { readonly a: number = 1; declare b: string; c!: number; static readonly d = 2; #e = 3; e() { return this.#e } }\nconst p = new P(); console.log(p, P.d, p.e())',
  'class P { override?: string; private static made = 0; static make() { return ++P.made } }\nconsole.log(P.make(), P.make())',
  'class G { private v = 1; get x(): number { return this.v } set x(v: number) { this.v = v * 2 } }\nconst g = new G(); g.x = 4; console.log(g.x)',
  'class A { accessor x = 1; static accessor y = 2 }\nconst a = new A(); a.x += 1; A.y += 1; console.log(a.x, A.y)',
  'class A { accessor #x = 1; bump() { return ++this.#x } }\nconsole.log(new A().bump())',
  'interface I { run(): number }\nclass R implements I { run(): number; run(n?: number): number { return n ?? 5 } }\nconsole.log(new R().run())',
  'class S { static { console.log("static", this.name) } static n: string = "n" }\nconsole.log(S.n)',
  'class X { [key: string]: unknown; a = 1 }\nconsole.log(new X())',
  'abstract class A { protected abstract v: number; sum() { return this.v + 1 } }\nconsole.log(new (class extends A { v = 2 })().sum())',
  'const C = class<T> { constructor(readonly v: T) {} };\nconsole.log(new C<number>(1).v)',
  'function log(v: any, c: ClassMethodDecoratorContext) { return function (this: any, ...a: any[]) { console.log(c.kind, String(c.name)); return v.apply(this, a) } }\nclass A { @log m(x: number) { return x } }\nconsole.log(new A().m(3))',
  'const named = (n: string) => (v: any, c: any) => { console.log(n, c.kind, c.name, c.static, c.private) };\n@named("c") class A { @named("f") x = 1; @named("g") get y() { return 1 } @named("s") static m() {} }\nconsole.log(new A().x)',
  'const add = (n: number) => (_: undefined, c: any) => (v: number) => v + n;\nclass A { @add(1) @add(10) x = 100 }\nconsole.log(new A().x)',
  'const seal = (C: any, c: any) => class extends C { sealed = true };\n@seal class A { a = 1 }\nconsole.log(new A())',
  'const bound = (m: any, c: any) => { c.addInitializer(function (this: any) { this[c.name] = m.bind(this) }) };\nclass A { v = 7; @bound get() { return this.v } }\nconst { get } = new A(); console.log(get())',
  'const twice = (t: any, c: any) => ({ get() { return t.get.call(this) * 2 }, set(v: any) { t.set.call(this, v) }, init: (v: number) => v + 1 });\nclass A { @twice accessor x = 1 }\nconst a = new A(); a.x += 1; console.log(a.x)',
  'const order: string[] = []; const d = (n: string) => { order.push(`make ${n}`); return (v: any, c: any) => { order.push(`run ${n}`) } };\n@d("a") @d("b") class A { @d("m") m() {} @d("s") static s() {} }\nconsole.log(order)',
  'const reg: any[] = [];\nconst register = (C: any, c: any) => { c.addInitializer(() => reg.push(c.name)) };\n@register class One {}\n@register class Two {}\nconsole.log(reg)',
  'export class Exported { constructor(public a = 1) {} }\nexport default class { b = 2 }\nconsole.log(new Exported())',
  'class E extends Error { constructor(m: string, public code: number) { super(m) } }\ntry { throw new E("x", 4) } catch (e) { console.log((e as E).code, e instanceof E) }',
  'class L<T> implements Iterable<T> { constructor(private v: T[]) {} *[Symbol.iterator](): Iterator<T> { yield* this.v } }\nconsole.log([...new L([1, 2])])',
  'type C<T = {}> = new (...a: any[]) => T;\nconst Timed = <B extends C>(Base: B) => class extends Base { at = 1 };\nconsole.log(new (Timed(class { n = 2 }))())',
];

/** Programs with the decorators that TypeScript had before they were standardized. */
export const legacy: string[] = [
  'function log(t: any, k: string, d: PropertyDescriptor) { const m = d.value; d.value = function (...a: any[]) { console.log("call", k, a); return m.apply(this, a) } }\nclass A { @log add(a: number, b: number) { return a + b } }\nconsole.log(new A().add(1, 2))',
  'function param(t: any, k: string | undefined, i: number) { console.log(k, i) }\nclass A { constructor(@param a: number) {} m(@param x: number, @param y: number) {} }\nconsole.log(typeof A)',
  'const meta: PropertyDescriptor[] = [];\nconst keep = (t: any, k: string, d: PropertyDescriptor) => { meta.push(d) };\nclass A { @keep get x() { return 1 } @keep static s() {} }\nconsole.log(meta.map((d) => Object.keys(d)))',
  'type D = PropertyDescriptor;\nconst seal = (C: Function) => { Object.seal(C.prototype) };\n@seal class A { m() {} }\nconsole.log(Object.isSealed(A.prototype))',
  'const no = (on: boolean) => (t: any, k: string, d: PropertyDescriptor) => { d.enumerable = on };\nclass A { @no(true) m() {} n() {} }\nconst keys = []; for (const k in new A()) keys.push(k); console.log(keys)',
];
