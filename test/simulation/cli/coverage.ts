import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { stripTypeScriptTypes } from "node:module";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = `${sep}lib${sep}polling${sep}`;

export interface Coverage {
  /** Numbers of the lines with code in lib/polling that have not been run, by file; files without any included. */
  missed(): Promise<[string, number[]][]>;
}

/** Must be called before the code to be watched is loaded. Positions are those of the source: types are blanked out. */
export function startCoverage(): Coverage {
  const session = new Session();
  session.connect();
  const started = session
    .post("Profiler.enable")
    .then(() => session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true }));
  return {
    async missed() {
      await started;
      const { result } = await session.post("Profiler.takePreciseCoverage");
      return result.flatMap(({ url, functions }): [string, number[]][] => {
        if (!url.startsWith("file:") || !fileURLToPath(url).includes(FOLDER)) return [];
        const file = fileURLToPath(url);
        const source = codeOf(file);
        const run = new Uint8Array(source.length).fill(1);
        // Outer ranges come before those within them.
        for (const { ranges } of functions) {
          for (const { startOffset, endOffset, count } of ranges) run.fill(Number(count > 0), startOffset, endOffset);
        }
        return [[file.slice(file.indexOf(FOLDER) + 1), missedLines(source, run)]];
      });
    },
  };
}

/** Lines with code in a file. */
export function codeLines(file: string): number {
  return codeOf(file)
    .split("\n")
    .filter((line) => isCode(line)).length;
}

/** The code as it runs, comments blanked out as well. */
function codeOf(file: string): string {
  const blank = (text: string): string => text.replace(/[^\n]/g, " ");
  return stripTypeScriptTypes(readFileSync(file, "utf8")).replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, blank);
}

const isCode = (line: string): boolean => /[\w"'`]/.test(line);

function missedLines(source: string, run: Uint8Array): number[] {
  const missed: number[] = [];
  let at = 0;
  for (const [i, line] of source.split("\n").entries()) {
    const from = at + line.search(/[\w"'`]/);
    if (isCode(line) && run[from] === 0) missed.push(i + 1);
    at += line.length + 1;
  }
  return missed;
}
