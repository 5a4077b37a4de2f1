import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A pattern and an event to put to it, both parsed JSON. */
export interface RuleCase {
  pattern: unknown;
  event: object;
}

export type Verdict = "true" | "false" | "invalid";

const here = import.meta.dirname;

/** Puts cases to AWS's own event-ruler (from Maven Central, run by Java 17). */
export function askEventRuler(cases: readonly RuleCase[]): Verdict[] {
  const lines = cases.map(({ pattern, event }) => `${JSON.stringify({ pattern, event })}\n`).join("");
  const answers = run("java", ["-cp", resolveClasspath(), join(here, "RulerOracle.java")], lines)
    .trim()
    .split("\n");
  if (answers.length !== cases.length)
    throw new Error(`event-ruler gave ${answers.length} answers to ${cases.length} cases`);
  return answers as Verdict[];
}

function resolveClasspath(): string {
  const scratch = mkdtempSync(join(tmpdir(), "event-rules-"));
  try {
    const file = join(scratch, "classpath");
    const goal = ["dependency:build-classpath", `-Dmdep.outputFile=${file}`];
    run("mvn", ["-q", "-B", "-Dstyle.color=never", "-f", join(here, "pom.xml"), ...goal]);
    return readFileSync(file, "utf8").trim();
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function run(command: string, args: string[], input = ""): string {
  return execFileSync(command, args, {
    input,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["pipe", "pipe", "inherit"],
  });
}
