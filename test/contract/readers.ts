import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GoldenEvent } from "../../codegen/compatibility.ts";
import { installedPython } from "../../codegen/python/models.ts";

/** Events by name. */
export type Events = ReadonlyMap<string, GoldenEvent>;

/** Reads events with code that was generated; says what is wrong with each, and nothing where it was read. */
export type Reader = (events: Events) => Map<string, string>;

const HERE = import.meta.dirname;

/** `response.completed` is read by the class ResponseCompletedEvent. */
export const classOf = (event: GoldenEvent): string =>
  `${event["detail-type"].replace(/(?:^|\.)(\w)/g, (_, first: string) => first.toUpperCase())}Event`;

/** Whether each event can be assigned to its type in a declaration. Events of types that it does not know are passed over. */
export function typescriptReader(declaration: string, scratch: string): Reader {
  const text = readFileSync(declaration, "utf8");
  return (events) => {
    mkdirSync(scratch, { recursive: true });
    writeFileSync(join(scratch, "events.d.ts"), text);
    const known = [...events].filter(([, event]) => text.includes(`export interface ${classOf(event)} {`));
    for (const [name, event] of known) {
      const source = `import type * as events from "./events.d.ts";
export const one: events.${classOf(event)} = ${JSON.stringify(event)};
export const any: events.SurveyPollerEvent = one;
`;
      writeFileSync(join(scratch, `${name}.ts`), source);
    }
    const options = { strict: true, noEmit: true, module: "nodenext", allowImportingTsExtensions: true, types: [] };
    writeFileSync(join(scratch, "tsconfig.json"), JSON.stringify({ compilerOptions: options, include: ["*.ts"] }));
    const problems = new Map<string, string>();
    for (const line of outputOf(join(HERE, "../../node_modules/.bin/tsc"), ["-p", scratch, "--pretty", "false"])) {
      const [, file, said] = /^(?:.*\/)?([^/(]+?)(?:\.d)?\.ts\(\S+\): (.*)/.exec(line) ?? [];
      if (file !== undefined) problems.set(file, String(said));
      else if (/^error/.test(line)) problems.set("tsc", line);
    }
    return problems;
  };
}

/** Reads with the pydantic models of this folder. Nothing may be lost: they keep what they do not know. */
export function pythonReader(models: string): Reader {
  return (events) => {
    const answers = ask(installedPython(), [join(HERE, "read_events.py"), models], events);
    return problemsOf(events, answers, (event, read) => differences(event, read).concat(differences(read, event)));
  };
}

/** Compiles the Java classes of this folder with Maven, and reads with them. What they know must be as it was; the rest they leave out. */
export function javaReader(sources: string, scratch: string): Reader {
  const classpath = join(scratch, "classpath");
  const maven = ["-q", "-B", "-Dstyle.color=never", "-f", join(HERE, "java/pom.xml"), `-Dsources=${sources}`];
  const goals = ["compile", "dependency:build-classpath", `-Dmdep.outputFile=${classpath}`, `-Dscratch=${scratch}`];
  execFileSync("mvn", [...maven, ...goals], { stdio: ["ignore", 2, 2] });
  const path = `${join(scratch, "classes")}:${readFileSync(classpath, "utf8").trim()}`;
  return (events) => {
    const answers = ask("java", ["-cp", path, join(HERE, "java/ReadEvents.java")], events);
    return problemsOf(events, answers, (event, read) => differences(read, event));
  };
}

function ask(command: string, args: string[], events: Events): unknown[] {
  const lines = [...events.values()].map((event) => `${classOf(event)}\t${JSON.stringify(event)}\n`).join("");
  const output = execFileSync(command, args, {
    input: lines,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "inherit"],
    maxBuffer: 64 * 1024 * 1024,
  });
  return output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}

function problemsOf(
  events: Events,
  answers: unknown[],
  compare: (event: unknown, read: unknown) => string[],
): Map<string, string> {
  return new Map(
    [...events].flatMap(([name, event], i): [string, string][] => {
      const answer = answers[i];
      if (typeof answer !== "object" || answer === null) return [[name, String(answer)]];
      const found = compare(event, answer);
      return found.length === 0 ? [] : [[name, found.join("; ")]];
    }),
  );
}

/** Where the first value says something that the other one does not. Null and absent are the same to Java. */
function differences(one: unknown, other: unknown, path = ""): string[] {
  if (one === null || one === undefined) {
    return other === null || other === undefined ? [] : [`${path}: ${one}, not ${JSON.stringify(other)}`];
  }
  if (typeof one === "object" && typeof other === "object" && other !== null) {
    return Object.entries(one).flatMap(([name, field]) =>
      differences(field, (other as Record<string, unknown>)[name], `${path}/${name}`),
    );
  }
  return one === other ? [] : [`${path}: ${JSON.stringify(one)}, not ${JSON.stringify(other)}`];
}

function outputOf(command: string, args: string[]): string[] {
  try {
    return execFileSync(command, args, { encoding: "utf8" }).split("\n");
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout).split("\n");
  }
}
