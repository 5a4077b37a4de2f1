/** Characters of a line, and of what shares one with others. */
const WIDTH = 140;
const SHORT = 72;

/** JSON for people: what fits on a line stays together, and what is short shares its line. */
export function readableJson(value: unknown, indent = "", before = 0): string {
  const line = JSON.stringify(value, null, 1).replaceAll(/\n */g, " ");
  if (typeof value !== "object" || value === null || indent.length + before + line.length <= WIDTH) return line;
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const items = Object.entries(value).map(([name, one]: [string, unknown]) => {
    const key = isList ? "" : `${JSON.stringify(name)}: `;
    return `${key}${readableJson(one, inner, key.length)}`;
  });
  const [open, close] = isList ? "[]" : "{}";
  return `${open}\n${filled(items, inner).join(",\n")}\n${indent}${close}`;
}

/** Texts in lines that each hold one, or some that are short. */
export function filled(texts: readonly string[], indent: string): string[] {
  const lines: string[] = [];
  const isShort = (text = ""): boolean => text.length <= SHORT && !text.includes("\n");
  for (const [i, text] of texts.entries()) {
    const longer = `${lines.at(-1)}, ${text}`;
    const isBeside = i > 0 && isShort(text) && isShort(texts[i - 1]) && longer.length <= WIDTH;
    if (isBeside) lines.splice(-1, 1, longer);
    else lines.push(`${indent}${text}`);
  }
  return lines;
}
