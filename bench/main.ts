import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PEERS } from "./peers/peers.ts";
import type { Findings, Plot, Row } from "./support/row.ts";

// npm run bench -- [--write] [PART …]: each part in a process of its own, one after the other, and one table of all they found.
// Names of peers after `peers` are the only ones measured. With --write what is drawn of it (npm run plots) goes to docs/performance.

const PARTS = ["import", "drain", "memory", "surveys", "fairness", "backlog", "rate", "init", "peers"];
const FIGURES = join(import.meta.dirname, "../docs/performance");

const { values: flags, positionals: words } = parseArgs({
  options: { write: { type: "boolean", default: false } },
  allowPositionals: true,
});
const peers = words.includes("peers") ? words.filter((word) => PEERS.some(({ name }) => name === word)) : [];
const wanted = words.filter((word) => !peers.includes(word));
const unknown = wanted.find((part) => !PARTS.includes(part));
if (unknown !== undefined) {
  process.stderr.write(`There is no part "${unknown}" of the bench: the parts are ${PARTS.join(", ")}.\n`);
  process.exit(1);
}

async function findingsOf(part: string): Promise<Findings> {
  const child = fork(join(import.meta.dirname, "part.ts"), part === "peers" ? [part, ...peers] : [part]);
  let findings: Findings = { rows: [] };
  child.on("message", (message) => {
    findings = message as Findings;
  });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) findings.rows.push({ what: part, measured: "failed", met: false });
  return findings;
}

const rows: Row[] = [];
for (const part of wanted.length > 0 ? wanted : PARTS) {
  const found = await findingsOf(part);
  for (const row of found.rows) print(row);
  rows.push(...found.rows);
  if (flags.write) for (const plot of found.plots ?? []) keep(plot);
}
const judged = rows.filter(({ met }) => met !== undefined);
const missed = judged.filter(({ met }) => met === false);
console.log(`${judged.length - missed.length} of ${judged.length} met`);
process.exit(missed.length === 0 ? 0 : 1);

function print({ what, measured, wanted: limit = "", met }: Row): void {
  const verdict = met === undefined ? "" : met ? "met" : "NOT MET";
  console.log(`${what.padEnd(80)} ${measured.padStart(12)}  ${limit.padEnd(8)} ${verdict}`.trimEnd());
}

function keep(plot: Plot): void {
  mkdirSync(FIGURES, { recursive: true });
  writeFileSync(join(FIGURES, `${plot.name}.json`), `${JSON.stringify(plot, null, 2)}\n`);
}
