/** The built-in languages that can save their state and are in every image. */
export const languages = ['python', 'node', 'bash'] as const;
export type Language = (typeof languages)[number];

type Program = {
  /** Defines a number, something that reads it, and values that belong together. */
  start: string;
  /** Changes the number to 2. */
  change: string;
  /** Prints all of it. */
  show: string;
  /** The output of `show`. */
  truth(n: number): string;
};

/** The same small state in each language. */
export const programs: Record<Language, Program> = {
  python: {
    start: 'class A:\n  def get(self): return n\nn = 1; a = A(); items = [a, a]\ndef f(): return n',
    change: 'n = 2',
    show: 'print(n, f(), a.get(), items[0] is items[1] is a)',
    truth: (n) => `${n} ${n} ${n} True`,
  },
  node: {
    start:
      'let n = 1\nclass A { get() { return n } }\nconst a = new A(), items = [a, a]\nfunction f() { return n }\nconst g = () => f()',
    change: 'n = 2',
    show: 'console.log(n, g(), a.get(), items[0] === items[1] && items[1] === a)',
    truth: (n) => `${n} ${n} ${n} true`,
  },
  bash: {
    start: 'n=1; items=(a "b c"); declare -A table=([k]=v); f() { echo "$n"; }; shopt -s extglob',
    change: 'n=2',
    show: `echo "$n $(f) \${items[1]} \${table[k]} $(shopt -q extglob && echo set)"`,
    truth: (n) => `${n} ${n} b c v set`,
  },
};

/** A name that takes so long to be saved. */
export const slowToSave = (seconds: number) => `
class Slow:
  def __reduce__(self):
    import time
    time.sleep(${seconds})
    return (int, ())
slow = Slow()`;

/** A name that takes so long to be loaded. */
export const slowToLoad = (seconds: number) => `
def wake():
  import time
  time.sleep(${seconds})
class Slow:
  def __reduce__(self): return (wake, ())
slow = Slow()`;
