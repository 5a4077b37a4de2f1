import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { describe, expect, it } from "vitest";
import { rules, specifiers, violations } from "./import-rules.ts";

const root = join(import.meta.dirname, "../..");
const files = globSync("{lib,functions,infra,examples,test}/**/*.ts", { cwd: root, exclude: ["**/node_modules/**"] });
const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));

const planted = (file: string, source: string): string[] => violations(new Map([[file, source]]));

// That there is no circle Biome sees.
describe("dependencies", () => {
  it("point one way, and enter the core by its door alone, those of tests as well", () => {
    expect(sources.size).toBeGreaterThan(100);
    expect(violations(sources)).toEqual([]);
  });

  it("hold for each folder of lib: a new one needs a rule of its own", () => {
    const ruled = rules.map(({ from }) => from).filter((from) => from.startsWith("lib/"));
    const roots = ["lib", "lib/polling"];
    const unruled = files.filter((file) =>
      roots.includes(dirname(file)) ? !ruled.includes(file) : !ruled.some((from) => file.startsWith(from)),
    );
    expect(unruled.filter((file) => file.startsWith("lib/"))).toEqual([]);
  });

  it("are read of every file: none of the core imports nothing at all", () => {
    const silent = [...sources].filter(([, source]) => specifiers(source).length === 0).map(([file]) => file);
    expect(silent.filter((file) => /^lib.*(tick|poll-survey|scan|leases|client\.ts)/.test(file))).toEqual([]);
  });
});

describe("a planted violation is caught", () => {
  it.each([
    ["lib/polling/tick/tick.ts", 'import { createLeases } from "../../state/leases.ts";'],
    ["lib/polling/tick/tick.ts", 'import type { Leases } from "../../state/leases.ts";'],
    ["lib/polling/tick/tick.ts", 'import { DynamoDBClient } from "@aws-sdk/client-dynamodb";'],
    ["lib/polling/tick/tick.ts", 'const { wire } = await import("../../run/wiring.ts");'],
    ["lib/polling/tick/tick.ts", "import {\n  a,\n  b,\n} from '../../state/leases.ts';"],
    ["lib/polling/walk/read-pages.ts", 'import { classify } from "../ledger/classify.ts";'],
    ["lib/polling/contents.ts", 'import { emitFound } from "./publish/emit.ts";'],
    ["lib/survey-api/http/exchange.ts", 'import { readJson } from "../bodies/read-body.ts";'],
    ["lib/survey-api/client.ts", 'export * from "../polling/ports.ts";'],
    ["lib/cli/main.ts", 'import { tick } from "../polling/tick/tick.ts";'],
    ["infra/stack.ts", 'import { noon } from "../test/support/memory-ports.ts";'],
  ])("%s: %s", (file, source) => {
    expect(planted(file, source)).toHaveLength(1);
  });

  it("and what is allowed is not", () => {
    const source =
      'import { hash } from "node:crypto";\nimport pLimit from "p-limit";\nimport type { Ports } from "../ports.ts";';
    expect(planted("lib/polling/tick/tick.ts", `${source}\n// import { x } from "../../state/leases.ts";`)).toEqual([]);
    expect(planted("lib/state/ledger.ts", 'import type { State } from "../polling/index.ts";')).toEqual([]);
  });
});
