/** The style of the page: one column of text, the contents beside it if there is room, light or dark as the reader prefers. */
export const docsStyle = `
:root { color-scheme: light dark;
  --text: #1d2430; --soft: #5b6675; --line: #dfe3e8; --page: #ffffff; --panel: #f5f7f9; --accent: #0f6e66;
  --get: #0b62b8; --post: #1a7a3c; --patch: #8a5a00; --delete: #b3261e; }
@media (prefers-color-scheme: dark) { :root {
  --text: #e3e7ec; --soft: #9aa5b1; --line: #2c343d; --page: #12161b; --panel: #1a2027; --accent: #54c7ba;
  --get: #6db3ff; --post: #63c989; --patch: #e0b15a; --delete: #ff8a80; } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.6 system-ui, -apple-system, "Segoe UI", sans-serif; }
.page { display: grid; grid-template-columns: minmax(0, 1fr); max-width: 76rem; margin: 0 auto; }
nav, main { padding: 1.5rem 1.25rem; }
nav { font-size: .875rem; border-bottom: 1px solid var(--line); }
nav ul { list-style: none; margin: 0 0 .75rem; padding: 0; }
nav li { display: flex; gap: .5rem; align-items: baseline; }
nav li a { padding: .15rem 0; }
nav h2 { font-size: .75rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); margin: 1rem 0 .25rem; border: 0; padding: 0; }
nav summary { font-weight: 600; padding: .25rem 0; }
@media (max-width: 59.99rem) { nav details[open] { max-height: 17rem; overflow-y: auto; } }
@media (min-width: 60rem) {
  .page { grid-template-columns: 18rem minmax(0, 1fr); }
  nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; border: 0; border-right: 1px solid var(--line); }
  main { padding: 2.5rem 3rem 6rem; }
}
a { color: var(--accent); text-decoration: none; }
a:hover, a:focus-visible { text-decoration: underline; }
h1 { font-size: 2.25rem; line-height: 1.15; letter-spacing: -.02em; margin: 0 0 .5rem; }
h2 { font-size: 1.5rem; margin: 3.5rem 0 1rem; padding-bottom: .4rem; border-bottom: 2px solid var(--line); }
h3 { font-size: 1.15rem; margin: 0 0 .4rem; }
h3 a { color: inherit; }
h4 { font-size: .75rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); margin: 1.4rem 0 .4rem; }
p { margin: .5rem 0; }
code { font: .9em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
p code, dd code { background: var(--panel); padding: .1em .3em; border-radius: 4px; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1rem; overflow-x: auto; margin: .5rem 0; }
pre code { font-size: .8125rem; }
.lead { font-size: 1.1rem; color: var(--soft); max-width: 42rem; }
.endpoint, .schema, .problem { padding: 1.5rem 0; border-bottom: 1px solid var(--line); }
.line { display: flex; gap: .75rem; align-items: baseline; }
.line > code { overflow-wrap: anywhere; }
.method { font: 600 .7rem/1 ui-monospace, monospace; letter-spacing: .03em; color: var(--method); flex: none; }
.line .method { border: 1px solid; border-radius: 5px; padding: .3em .5em; }
nav .method { width: 3.2rem; text-align: right; }
.get { --method: var(--get); } .post { --method: var(--post); } .patch { --method: var(--patch); } .delete { --method: var(--delete); }
dl { margin: 0; }
dl.fields > div, dl.answers > div { display: grid; gap: 0 1rem; padding: .45rem 0; border-top: 1px solid var(--line); }
dl.fields > div:first-child, dl.answers > div:first-child { border-top: 0; }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
dd p { margin: 0; color: var(--soft); font-size: .9375rem; }
dl.answers > div { grid-template-columns: 3rem minmax(0, 1fr); }
dl.answers dt { font: 600 .875rem/1.8 ui-monospace, monospace; }
.s2 { color: var(--post); } .s4 { color: var(--patch); } .s5 { color: var(--delete); }
@media (min-width: 44rem) { dl.fields > div { grid-template-columns: 14rem minmax(0, 1fr); } }
.place, .required, .optional, .type, .limits { font-size: .8125rem; color: var(--soft); font-weight: 400; letter-spacing: 0; text-transform: none; }
.required { color: var(--delete); }
.limits::before { content: "· "; }
.slug { display: inline-block; margin-right: .5rem; font: .8125rem/1.8 ui-monospace, monospace; }
.choice { border-left: 3px solid var(--line); padding-left: 1rem; margin: .75rem 0; }
summary { cursor: pointer; color: var(--accent); font-size: .875rem; padding: .4rem 0; }
.problem { padding: .9rem 0; display: grid; grid-template-columns: 3rem minmax(0, 1fr); gap: 0 1rem; }
.problem h3 { font: 600 1rem/1.5 ui-monospace, monospace; margin: 0; overflow-wrap: anywhere; }
.problem p { margin: 0; color: var(--soft); }
:target { background: color-mix(in srgb, var(--accent) 8%, transparent); border-radius: 6px; }
`;
