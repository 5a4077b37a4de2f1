import { globSync, readFileSync } from "node:fs";

/** What people read: the README and everything in docs/, by path. */
export const documents = [
  ...globSync("*.md"),
  ...globSync("docs/**/*.md"),
  ...globSync("{bench,test}/*/README.md"),
].sort();

export interface Command {
  /** Where it stands: path and line. */
  place: string;
  text: string;
}

/** The lines of a document's blocks of shell commands. */
export function commandsOf(path: string): Command[] {
  const commands: Command[] = [];
  let isShell = false;
  for (const [i, text] of readFileSync(path, "utf8").split("\n").entries()) {
    const [, language] = /^\s*```(\w*)/.exec(text) ?? [];
    if (language !== undefined) isShell = ["sh", "bash", "zsh", "shell", "console"].includes(language);
    else if (isShell) commands.push({ place: `${path}:${i + 1}`, text });
  }
  return commands;
}

/** What stands in backticks in the first cell of each row of the tables whose first column has this heading. */
export function firstCells(text: string, heading: string): string[] {
  return text.split(/\n(?!\|)/).flatMap((block) => {
    const [head = "", , ...rows] = block.split("\n").filter((line) => line.startsWith("|"));
    const cell = (row: string): string => row.split("|")[1] ?? "";
    if (cell(head).trim() !== heading) return [];
    return rows.flatMap((row) => [...cell(row).matchAll(/`([^`]+)`/g)].map(([, word]) => word ?? ""));
  });
}
