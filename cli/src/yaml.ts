/** Read only by the calls that need it, since it is larger than all of the rest. */
export { Document, parse, stringify, visit } from 'yaml';
