const listed = "the list has the magics of the stock kernel's front end and sockets as well";
const frontEnd = "the magic is the stock kernel's own, for its front end or its sockets, and no part of IPython";
const exit = 'an exit is a result here; the stock kernel warns of it and reports an error';
const socket = "the cell writes to the stock kernel's socket itself";
const descriptor = 'the text has the number of a file descriptor';
const python = "the message is Python's; the stock kernel's is of unfinished input";

/** Cells whose output depends on the moment or on the machine, and that two runs of a stock kernel still answer alike at times. */
export const varyingCells = [
  // The space that is left on the machine's disks.
  'ipython: Beyond Plain Python 28',
  // The ports and the key of the stock kernel.
  'ipython: Beyond Plain Python 47',
];

/** Cells whose output differs from the stock kernel's, with the reason; each of them must really differ. */
export const knownDifferences: Record<string, string> = {
  'ipython: Beyond Plain Python 6': listed,
  'ipython: Beyond Plain Python 24': listed,
  'ipython: Beyond Plain Python 31': listed,
  'ipython: Beyond Plain Python 48': frontEnd,
  'ipython: Cell Magics 1': listed,
  'ipython: Cell Magics 18': descriptor,
  'nbclient: update-display-id 2': socket,
  'nbclient: update-display-id 3': socket,
  'nbclient: update-display-id 4': socket,
  'nbclient: update-display-id 5': socket,
  'nbclient: update-display-id 6': socket,
  'nbval: index 11': 'the stock kernel adds a file name to the message of a SyntaxError that code raises itself',
  'notebook: JavaScript Notebook Extensions 1': frontEnd,
  'notebook: Test Output Callbacks 13': python,
  'pandas: style 43': 'a display method recurses without end, and the stock kernel fails to describe the error',
  'papermill: sysexit 2': exit,
  'papermill: sysexit0 2': exit,
  'papermill: sysexit1 2': exit,
  'papermill: systemexit 2': exit,
};
