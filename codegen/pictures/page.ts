/**
 * A page with what stands between `<!-- drawn: NAME -->` and `<!-- end: NAME -->` replaced.
 *
 * @throws Error when the page has no such place
 */
export function withDrawn(page: string, name: string, text: string): string {
  const begin = `<!-- drawn: ${name} -->\n`;
  const end = `\n<!-- end: ${name} -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`the page has no place for the picture "${name}"`);
  return `${page.slice(0, from + begin.length)}\n${text}\n${page.slice(to)}`;
}

/** Mermaid text as a fenced block, which GitHub draws. */
export function fenced(mermaid: string): string {
  return `\`\`\`mermaid\n${mermaid}\n\`\`\``;
}
