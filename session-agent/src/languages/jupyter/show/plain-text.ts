import { stripVTControlCharacters } from 'node:util';

const backspace = String.fromCharCode(8);
/** A pager makes bold type by printing letters over one another. */
const printedOver = new RegExp(`[^\n]${backspace}`, 'gu');

/** Text as it looks on a screen, without the colours and the bold type of a terminal. Pure. */
export const plainText = (text: string): string => stripVTControlCharacters(text.replace(printedOver, ''));
