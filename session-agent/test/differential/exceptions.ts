const syntax = "a cell here supports only `!command` and `%pip` of IPython's own syntax";
const terminal = 'a command writes to a pipe and not to a terminal, whose driver turns \\n into \\r\\n';
const group = 'the stock kernel prints groups to stderr, with its own frames, and reports no error';

/** Cells whose answer differs from the stock kernel's, with the reason; each of them must really differ. */
export const exceptions: Record<string, string> = {
  'containers: a dict with long keys and long values':
    'the stock printer loses a group that is open beside a closed one, and writes a line of more than 79 columns',
  'display: an HTML method that gives no text':
    'the stock kernel warns with the path of its own source; here it is left out',
  'errors: a group of errors': group,
  'errors: a group caught in part': group,
  'errors: a bracket without end': "the message is Python's; the stock kernel asks for one of unfinished input",
  'errors: a dedent to nowhere': "the position is that in the cell; the stock kernel gives its tokenizer's",
  'exit: an exit': 'an exit ends the context here; the stock kernel advises against it and stays',
  "history: a cell's source": "the interpreter does not hold the sources of a context's steps a second time",
  'language: a cell that is indented': syntax,
  'language: a cell with prompts': syntax,
  'language: a question': syntax,
  'language: a line magic': syntax,
  'language: a cell magic': syntax,
  'language: get_ipython': 'no IPython shell runs that it could return',
  'streams: a comparison that the compiler warns of':
    'the stock kernel compiles a cell three times and warns each time',
  'streams: input is not allowed': 'the message says how to allow it, and code that asks for input can handle EOFError',
  'streams: a shell command': terminal,
  'streams: a shell command with a variable': terminal,
};
