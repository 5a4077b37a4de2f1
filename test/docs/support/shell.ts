/** The words of one simple command: quotes and variables resolved as far as a reader could, `$(…)` taken out. */
export type Words = readonly string[];

/** What a placeholder, a variable or the output of another command stands for. */
const SOMETHING = "SOMETHING";

/** The simple commands of a block of shell lines, those inside `$(…)` as well. Comments are left out. */
export function simpleCommands(code: string): Words[] {
  const joined = code.replace(/\\\n\s*/g, " ").replace(/^\s*#.*$/gm, "");
  const nested: string[] = [];
  const flat = withoutSubstitutions(joined, nested).replace(/<[^<>\n]+>|…/g, SOMETHING);
  return [...split(flat), ...nested.flatMap(simpleCommands)];
}

/** Replaces each `$(…)`, whose commands go to `nested`. */
function withoutSubstitutions(text: string, nested: string[]): string {
  let result = "";
  let isSingle = false;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "'") isSingle = !isSingle;
    if (isSingle || !text.startsWith("$(", i) || text.startsWith("$((", i)) {
      result += text[i];
      continue;
    }
    const end = closing(text, i + 2);
    nested.push(text.slice(i + 2, end));
    result += SOMETHING;
    i = end;
  }
  return result;
}

function closing(text: string, from: number): number {
  let depth = 1;
  for (let i = from; i < text.length; i++) {
    if (text[i] === "(") depth += 1;
    if (text[i] === ")") depth -= 1;
    if (depth === 0) return i;
  }
  throw new Error(`"$(" without its ")": ${text.slice(from, from + 40)}`);
}

function split(text: string): Words[] {
  const commands: string[][] = [[]];
  let word: string | undefined;
  let quote = "";
  const finish = (): void => {
    if (word !== undefined) commands.at(-1)?.push(word);
    word = undefined;
  };
  for (const sign of text) {
    if (quote !== "") {
      if (sign === quote) quote = "";
      else word += sign;
    } else if (sign === "'" || sign === '"') {
      quote = sign;
      word ??= "";
    } else if (/[;&|\n]/.test(sign)) {
      finish();
      commands.push([]);
    } else if (/\s/.test(sign)) finish();
    else word = (word ?? "") + sign;
  }
  if (quote !== "") throw new Error(`a quote is left open: ${text.slice(0, 60)}`);
  finish();
  return commands.map(withoutRedirections).filter((words) => words.length > 0);
}

/** `> file` and `2>&1` are no arguments. A function's braces, `do`, `done` and the like stand before a command. */
function withoutRedirections(words: readonly string[]): string[] {
  const kept = words.filter((word, i) => !/^\d?[<>]/.test(word) && !/^\d?(>>?|<)$/.test(words[i - 1] ?? ""));
  while (kept.length > 0 && /^([{}]|do|done|then|fi|else|!|\w+\(\)|[A-Za-z_]\w*=.*)$/.test(kept[0] ?? "")) {
    const [first = ""] = kept.splice(0, 1);
    // A variable alone is no command, and before a command it is its environment.
    if (/^\w+\(\)$/.test(first)) continue;
  }
  return kept;
}
