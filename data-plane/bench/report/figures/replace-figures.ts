const first = '<!-- figures -->';
const last = '<!-- end of figures -->';

/** The page with everything between its two markers replaced. Pure. @throws Error if it does not have both, once, in this order */
export function replaceFigures(page: string, figures: string): string {
  const [before, rest, ...more] = page.split(first);
  const [, after, ...others] = rest?.split(last) ?? [];
  if (before === undefined || after === undefined || more.length > 0 || others.length > 0)
    throw new Error(`the page must have the lines ${first} and ${last}, once each`);
  return `${before}${first}\n\n${figures.trim()}\n\n${last}${after}`;
}
