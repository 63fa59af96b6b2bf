const frontEnd = "the magic is the stock kernel's own, for its front end or its sockets, and no part of IPython";
const listed = "the list has the magics of the stock kernel's front end and sockets as well";
const noColours = 'the text has no colours, after which IPython ends the line';
const bash = 'a command runs in bash if there is one, and not in sh';

/** Cells of `magics/` whose answers differ from the stock kernel's, with the reason; each of them must really differ. */
export const knownMagics: Record<string, string> = {
  'display: connect_info': frontEnd,
  'display: qtconsole': frontEnd,
  'display: autosave': frontEnd,
  'display: subshell': frontEnd,
  'display: edit': 'no editor can run, which the error says',
  'display: ed': 'no editor can run, which the error says',
  'display: gui that does not exist': 'the list has only what works without a display',
  'execution: await with autoawait off': 'top-level await needs no support of IPython and is always on',
  'execution: run with a profile': "the profile counts the functions of the kernel's own streams",
  'execution: tb': 'the traceback is text, since a step that only shows an earlier error does not fail',
  'execution: tb after a fresh error':
    'the traceback is text, since a step that only shows an earlier error does not fail',
  'help: help within a cell': "the text comes where the code asks for it, and not at the cell's end",
  'help: lsmagic': listed,
  'help: magic': listed,
  'help: pdef': noColours,
  'help: pfile of what has no file': 'the name of a step is no path, so IPython puts the working directory before it',
  'help: quickref': listed,
  'shell: a command that does not exist': bash,
  'shell: braces that belong to the shell': bash,
  'shell: ls': 'the columns are aligned with tabs, as `ls` uses them if the terminal has no colours',
  'shell: clear': 'the output of the cell is cleared, as there is no terminal to clear',
};
