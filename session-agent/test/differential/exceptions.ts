const terminal = 'a command writes to a pipe and not to a terminal, whose driver turns \\n into \\r\\n';
const group = 'the stock kernel prints groups to stderr, with its own frames, and reports no error';

/** Cells whose answer differs from the stock kernel's, with the reason; each of them must really differ. */
export const exceptions: Record<string, string> = {
  'display: an HTML method that gives no text':
    'the stock kernel warns with the path of its own source; here it is left out',
  'errors: a group of errors': group,
  'errors: a group caught in part': group,
  'errors: a bracket without end': "the message is Python's; the stock kernel asks for one of unfinished input",
  'exit: an exit': 'an exit ends the context here; the stock kernel advises against it and stays',
  'language: a question': 'help for which the stock kernel asks its front end to open a pager is a result here',
  'streams: a comparison that the compiler warns of':
    'the stock kernel compiles a cell three times and warns each time',
  'streams: input is not allowed': 'the message says how to allow it, and code that asks for input can handle EOFError',
  'streams: a shell command': terminal,
  'streams: a shell command with a variable': terminal,
};
