import { readFile, writeFile } from "node:fs/promises";
import { abandonedOnes } from "./abandoned.ts";
import { cadences } from "./cadences.ts";
import { flipCosts } from "./flips.ts";
import { latenessOf } from "./lateness.ts";
import { keys } from "./lateness-classes.ts";
import { abandonedTables, cadenceTable, flipTable, latenessTable } from "./tables.ts";

// Measures the polling on virtual time and writes the tables of docs/lateness.md. All of it takes some minutes; the
// names of parts as arguments leave the others as they are.

const page = new URL("../../docs/lateness.md", import.meta.url);

async function latenessTables(): Promise<string> {
  const tables: string[] = [];
  for (const key of keys) tables.push(latenessTable(key, await latenessOf(key)));
  return tables.join("\n\n");
}

const parts: Record<string, () => Promise<string>> = {
  lateness: latenessTables,
  abandoned: async () => abandonedTables(await abandonedOnes()),
  flips: async () => flipTable(await flipCosts()),
  cadences: async () => cadenceTable(await cadences()),
};

/** Replaces what stands between the markers of a part. */
function replaced(text: string, part: string, tables: string): string {
  const [begin, end] = [`<!-- measured: ${part} -->`, `<!-- end: ${part} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/lateness.md has no markers of the part "${part}"`);
  return `${text.slice(0, from + begin.length)}\n\n${tables}\n\n${text.slice(to)}`;
}

const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts);
for (const part of chosen) {
  const measure = parts[part];
  if (measure === undefined) throw new Error(`there is no part "${part}": ${Object.keys(parts).join(", ")}`);
  const tables = await measure();
  // One part after the other: a later one that fails does not undo the time of the earlier ones.
  await writeFile(page, replaced(await readFile(page, "utf8"), part, tables));
  console.log(tables);
}
