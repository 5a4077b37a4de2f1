import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Row } from "./support/measure.ts";

// npm run bench -- [PART …]: each part in a process of its own, one after the other, and one table of all they found.

const PARTS = ["import", "drain", "surveys", "rate", "init", "requests"];

const wanted = process.argv.slice(2);
const unknown = wanted.find((part) => !PARTS.includes(part));
if (unknown !== undefined) {
  process.stderr.write(`There is no part "${unknown}" of the bench: the parts are ${PARTS.join(", ")}.\n`);
  process.exit(1);
}

async function rowsOf(part: string): Promise<Row[]> {
  const child = fork(join(import.meta.dirname, "part.ts"), [part]);
  let rows: Row[] = [];
  child.on("message", (message) => {
    rows = message as Row[];
  });
  const [code] = (await once(child, "exit")) as [number | null];
  return code === 0 ? rows : [...rows, { what: part, measured: "failed", met: false }];
}

const rows: Row[] = [];
for (const part of wanted.length > 0 ? wanted : PARTS) {
  const found = await rowsOf(part);
  for (const row of found) print(row);
  rows.push(...found);
}
const judged = rows.filter(({ met }) => met !== undefined);
const missed = judged.filter(({ met }) => met === false);
console.log(`${judged.length - missed.length} of ${judged.length} met`);
process.exit(missed.length === 0 ? 0 : 1);

function print({ what, measured, wanted: limit = "", met }: Row): void {
  const verdict = met === undefined ? "" : met ? "met" : "NOT MET";
  console.log(`${what.padEnd(80)} ${measured.padStart(12)}  ${limit.padEnd(8)} ${verdict}`.trimEnd());
}
