import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { describe, expect, it } from "vitest";
import { circles, pastTheDoor, rules, specifiers, violations } from "./import-rules.ts";

const root = join(import.meta.dirname, "../..");
const sources = new Map(
  globSync("{lib,functions,infra}/**/*.ts", { cwd: root }).map((file) => [
    file,
    readFileSync(join(root, file), "utf8"),
  ]),
);

const planted = (file: string, source: string): string[] => violations(new Map([[file, source]]));

describe("dependencies", () => {
  it("point one way", () => {
    expect(sources.size).toBeGreaterThan(100);
    expect(violations(sources)).toEqual([]);
  });

  it("enter the core by its door alone, those of tests and benches as well", () => {
    const all = globSync("{lib,functions,infra,examples,test}/**/*.ts", {
      cwd: root,
      exclude: ["**/node_modules/**"],
    });
    const every = new Map(all.map((file) => [file, readFileSync(join(root, file), "utf8")]));
    expect(every.size).toBeGreaterThan(sources.size);
    expect(pastTheDoor(every)).toEqual([]);
    expect(pastTheDoor(new Map([["lib/cli/main.ts", 'import { tick } from "../polling/tick/tick.ts";']]))).toEqual([
      "lib/cli/main.ts → lib/polling/tick/tick.ts",
    ]);
  });

  it("make no circle, type-only ones included", () => {
    expect(circles(sources)).toEqual([]);
  });

  it("hold for each folder of lib: a new one needs a rule of its own", () => {
    const folders = new Set(
      [...sources.keys()].filter((file) => file.startsWith("lib/")).map((file) => `${dirname(file)}/`),
    );
    const ruled = rules.map(({ from }) => from).filter((from) => from.startsWith("lib/"));
    const hasRule = (folder: string): boolean => ruled.some((from) => folder.startsWith(from));
    const roots = ["lib/", "lib/polling/"];
    expect([...folders].filter((folder) => !roots.includes(folder) && !hasRule(folder))).toEqual([]);
    const inRoots = [...sources.keys()].filter((file) => roots.includes(`${dirname(file)}/`));
    expect(inRoots.filter((file) => !ruled.includes(file))).toEqual([]);
  });

  it("are read of every file: none of the core imports nothing at all", () => {
    const silent = [...sources].filter(([, source]) => specifiers(source).length === 0).map(([file]) => file);
    expect(silent.filter((file) => /tick|poll-survey|scan|leases|client\.ts/.test(file))).toEqual([]);
  });
});

describe("a planted violation is caught", () => {
  it.each([
    ["lib/polling/tick/tick.ts", 'import { createLeases } from "../../state/leases.ts";'],
    ["lib/polling/tick/tick.ts", 'import type { Leases } from "../../state/leases.ts";'],
    ["lib/polling/tick/tick.ts", 'import { DynamoDBClient } from "@aws-sdk/client-dynamodb";'],
    ["lib/polling/tick/tick.ts", 'const { wire } = await import("../../run/wiring.ts");'],
    ["lib/polling/walk/read-pages.ts", 'import { classify } from "../ledger/classify.ts";'],
    ["lib/polling/contents.ts", 'import { emitFound } from "./publish/emit.ts";'],
    ["lib/polling/scan-head.ts", 'import { tick } from "./tick/tick.ts";'],
    ["lib/monitoring/log.ts", 'import { createLeases } from "../state/leases.ts";'],
    ["lib/survey-api/http/exchange.ts", 'import { readJson } from "../bodies/read-body.ts";'],
    ["lib/survey-api/client.ts", 'export * from "../polling/ports.ts";'],
    ["lib/config/schema.ts", 'import { tick } from "../polling/tick/tick.ts";'],
    ["lib/run/wiring.ts", 'import { startEmbeddedAws } from "../local/aws/index.ts";'],
    ["functions/poll.ts", 'import { bundle } from "../infra/bundle.ts";'],
    ["infra/stack.ts", 'import { noon } from "../test/support/memory-ports.ts";'],
    ["lib/polling/tick/tick.ts", "import {\n  a,\n  b,\n} from '../../state/leases.ts';"],
  ])("%s: %s", (file, source) => {
    expect(planted(file, source)).toHaveLength(1);
  });

  it("also a circle of types", () => {
    const files = new Map([
      ["a.ts", 'import type { B } from "./b.ts";'],
      ["b.ts", 'export { c } from "./c/c.ts";'],
      ["c/c.ts", 'import { type A } from "../a.ts";'],
      ["d.ts", 'import { a } from "./a.ts";'],
    ]);
    expect(circles(files)).toEqual([["a.ts", "b.ts", "c/c.ts"]]);
  });

  it("and what is allowed is not", () => {
    const source =
      'import { hash } from "node:crypto";\nimport pLimit from "p-limit";\nimport type { Ports } from "../ports.ts";';
    expect(planted("lib/polling/tick/tick.ts", `${source}\nimport { errorCode } from "../../errors.ts";`)).toEqual([]);
    expect(planted("lib/state/ledger.ts", 'import type { State } from "../polling/index.ts";')).toEqual([]);
    expect(planted("lib/local/start.ts", 'import { bundle } from "../../infra/bundle.ts";')).toEqual([]);
    expect(planted("lib/polling/tick/tick.ts", '// import { x } from "../../state/leases.ts";')).toEqual([]);
  });
});
