import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { App, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { SurveyPollerStack } from "../../../infra/stack.ts";
import { caseTable } from "./case.ts";
import { comparison, type Price, type PricedTemplate, pricesOf, resourceTable } from "./resources.ts";
import { usageTable } from "./usage.ts";

// npm run cost -- --surveys 40 --responses 2000: what that costs and how late events come; responses are those of a day.
// npm run cost: writes the tables of docs/cost.md. The names of parts as arguments leave the others as they are: `usage` counts what ticks
// use, which takes minutes; `minimal` and `sources` read
// what a stack holds.

const page = new URL("../../../docs/cost.md", import.meta.url);
const { context } = JSON.parse(readFileSync(new URL("../../../cdk.json", import.meta.url), "utf8")) as {
  context: object;
};

/** The prices of a stack with so many sources and the defaults. */
function stackPrices(count: number, fields: { credentialsSecret?: string } = {}): Price[] {
  const app = new App({ context: { ...context } });
  const one = { baseUrl: "https://surveys.example.com", ...fields };
  const sources = Array.from({ length: count }, (_, index) => ({ ...one, name: `customer-${index}` }));
  const stack = new SurveyPollerStack(app, "SurveyPoller", { config: { sources } });
  const stacks = stack.node.findAll().filter((found) => Stack.isStack(found));
  const resources = stacks.flatMap((part, index) =>
    Object.entries((Template.fromStack(part).toJSON() as PricedTemplate).Resources).map(
      ([id, resource]) => [`${index}-${id}`, resource] as const,
    ),
  );
  return pricesOf({ Resources: Object.fromEntries(resources) }, "minimal", count);
}

/** What a source costs at rest, and forty of them. */
function sourcesTable(): string {
  return comparison({
    "one source": stackPrices(1),
    "two sources": stackPrices(2),
    "40 sources": stackPrices(40),
    "40 sources that share a secret": stackPrices(40, { credentialsSecret: "customers" }),
  });
}

const parts: Record<string, () => string | Promise<string>> = {
  minimal: () => resourceTable(stackPrices(1)),
  sources: sourcesTable,
  usage: usageTable,
};

/** Replaces what stands between the markers of a part. */
function replaced(text: string, part: string, tables: string): string {
  const [begin, end] = [`<!-- measured: ${part} -->`, `<!-- end: ${part} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/cost.md has no markers of the part "${part}"`);
  return `${text.slice(0, from + begin.length)}\n\n${tables}\n\n${text.slice(to)}`;
}

const { values, positionals } = parseArgs({
  options: { surveys: { type: "string" }, responses: { type: "string" } },
  allowPositionals: true,
});
if (values.surveys !== undefined || values.responses !== undefined) {
  const [surveys, responses] = [Number(values.surveys), Number(values.responses)];
  if (!(Number.isInteger(surveys) && surveys > 0 && Number.isInteger(responses) && responses >= 0))
    throw new Error("give both as whole numbers: npm run cost -- --surveys 40 --responses 2000");
  process.stdout.write(`${await caseTable({ surveys, responses })}\n`);
  process.exit();
}
for (const part of positionals.length > 0 ? positionals : Object.keys(parts)) {
  const tables = await parts[part]?.();
  if (tables === undefined) throw new Error(`there is no part "${part}": ${Object.keys(parts).join(", ")}`);
  writeFileSync(page, replaced(readFileSync(page, "utf8"), part, tables));
}
