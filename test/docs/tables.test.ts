import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { detailShape, type Shape } from "../../infra/subscriptions/check-where.ts";
import { withFields } from "../../lib/config/document/fields.ts";
import { EVENT_TYPES } from "../../lib/events/index.ts";
import { synthesize } from "../infra/support/synthesize.ts";

const page = (name: string): string => readFileSync(`docs/${name}.md`, "utf8");
const textOf = (pattern: string): string =>
  globSync(pattern)
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
const found = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, one]) => one ?? "");
const sorted = (all: Iterable<string>): string[] => [...new Set(all)].sort();

/** What stands in backticks in the first cell of each row of the tables whose first column has this heading. */
function firstCells(text: string, heading: string): string[] {
  return text.split(/\n(?!\|)/).flatMap((block) => {
    const [head = "", , ...rows] = block.split("\n").filter((line) => line.startsWith("|"));
    const cell = (row: string): string => row.split("|")[1] ?? "";
    return cell(head).trim() === heading ? rows.flatMap((row) => found(cell(row), /`([^`]+)`/g)) : [];
  });
}

/** In a cell, a name without a beginning belongs beside the one before it. */
function besides(names: readonly string[], isWhole: RegExp): string[] {
  let beside = "";
  return names.map((name) => {
    if (!isWhole.test(name)) return `${beside}${name}`;
    beside = name.replace(/[^.:]*$/, "");
    return name;
  });
}

/** Words in capitals that are no codes of failures. A new one is taken for a code until it stands here. */
const NO_CODES = new Set(
  [
    "DELETE HEAD POST DEBUG ERROR ERROR_LOGS INFO SILENT WARN ACCOUNT MARK SHARED",
    // Of DynamoDB, Secrets Manager and CloudFormation.
    "ACTIVE ALL_NEW AWSCURRENT AWSPREVIOUS COUNT DISABLED ENABLED HASH PAY_PER_REQUEST RANGE",
    // Of EventBridge's replays and schedules, and of CloudWatch's alarms.
    "ALARM COMPLETED FAILED FLEXIBLE STARTING",
    // Of Node and the system.
    "EADDRINUSE EAGAIN ENOENT EPIPE ERR_BUFFER_TOO_LARGE SIGHUP SIGINT SIGTERM",
    // Of variables that lead an SDK to an endpoint.
    "DYNAMODB EVENTBRIDGE SECRETS_MANAGER",
    "CSAT HS256 HTML JSON SECRET TABLE_NAME SURVEY_CLIENT_ID SURVEY_CLIENT_SECRET",
  ].flatMap((line) => line.split(" ")),
);

/** A document says of each what it means, where to look and what to do: here, or here alone where only its own words do. */
describe("docs/runbook.md with docs/codes.md", () => {
  const pages = `${page("runbook")}\n${page("codes")}`;

  it("has every code of a failure once, and none that there is not", () => {
    const thrown = found(textOf("{lib,functions,infra}/**/*.ts"), /"([A-Z][A-Z0-9_]{3,})"/g);
    const explained = [...found(pages, /^### ([A-Z0-9_]+)$/gm), ...firstCells(pages, "code")];
    expect(explained.toSorted()).toEqual(sorted(thrown.filter((word) => !NO_CODES.has(word))));
  });

  it("has every reason for which a response is not out, and none that there is not", () => {
    const polling = textOf("lib/{polling,operator}/**/*.ts");
    const constants = found(polling, /\breason: ([A-Z_]+)\b/g).flatMap((name) =>
      found(polling, new RegExp(`const ${name} = "([^"]+)"`, "g")),
    );
    // In front of a code, or of what else is known: `bus:`, `metrics:`.
    const open = found(polling, /(?:type EventPart =|^ {2}part:) ([^;]+);/gm)
      .flatMap((parts) => found(parts, /"(\w+)"/g))
      .map((part) => `${part}:<code>`);
    const details = found(textOf("lib/polling/model/ledger-entry.ts"), /type DetailKind = ([^;]+);/g)
      .flatMap((kinds) => found(kinds, /"(\w+)"/g))
      .flatMap((kind) => [`${kind}:<code>`, `${kind}:absent`, `${kind}:OUTAGE`]);
    const given = [...found(polling, /\breason(?: =|:) "([^"]+)"/g), ...constants, ...open, ...details];
    expect(sorted(firstCells(pages, "reason"))).toEqual(sorted(given));
  });

  it("has every code that the publisher knows of the bus, and those that are met most", () => {
    const known = found(textOf("lib/publisher/event-bridge.ts"), /"(?:request:)?([A-Z][a-z]+[A-Z][A-Za-z]+)"/g);
    const others = ["ThrottlingException", "AccessDeniedException", "NotAuthorizedForSourceException"];
    expect(sorted(firstCells(pages, "code of the bus"))).toEqual(sorted([...known, ...others]));
  });
});

/** Sections of docs/security.md by the descriptions of the roles, of which each begins so. */
const SECTIONS: readonly [begin: string, section: string][] = [
  ["What the survey poller's function may do", "### The function"],
  ["What the survey poller's schedules may do", "### The schedules"],
  ["What the forwarder of webhook ", "### The forwarder of a webhook"],
];

it("docs/security.md has each action of each role, and no other", () => {
  const template = synthesize({
    sources: [{ baseUrl: "https://surveys.example.com", interval: "10s" }],
    webhooks: [{ name: "desk", url: "https://desk.example.com", signing: { secret: "desk/signing" } }],
  });
  const policies = Object.values(template.findResources("AWS::IAM::Policy")).map(({ Properties }) => Properties);
  const inTemplate = Object.entries(template.findResources("AWS::IAM::Role")).map(([id, { Properties }]) => {
    const own = policies.filter(({ Roles }) => Roles.some(({ Ref }: { Ref: string }) => Ref === id));
    const statements = own.flatMap(({ PolicyDocument }) => PolicyDocument.Statement as { Action: string | string[] }[]);
    const section = SECTIONS.find(([begin]) => String(Properties.Description).startsWith(begin))?.[1];
    return [section, sorted(statements.flatMap(({ Action }) => Action))];
  });
  const inDocument = SECTIONS.map(([, section]) => {
    const [, text = ""] = page("security").split(`${section}\n`);
    return [section, sorted(besides(firstCells(text.split(/\n#+ /)[0] ?? "", "action"), /:/))];
  });
  expect(Object.fromEntries(inTemplate)).toEqual(Object.fromEntries(inDocument));
});

/** Every field of the detail of an event, such as `data.answers.question.text`, and whether the contract names nothing below it. */
function fieldsOf({ fields }: Shape, path = ""): [field: string, isLeaf: boolean][] {
  return [...fields].flatMap(([name, inner]) => {
    const own: [string, boolean] = [`${path}${name}`, inner.fields.size === 0];
    return [own, ...fieldsOf(inner, `${path}${name}.`)];
  });
}

it("docs/event-fields.md has every field of the contract, and none that there is not", () => {
  const envelope = ["detail-type", "source", "time", "id", "detail"];
  const cells = firstCells(page("event-fields"), "field").filter((name) => !envelope.includes(name));
  const documented = new Set(besides(cells, /^(meta|data)\./).map((name) => name.replaceAll("[]", "")));
  const known = new Map(fieldsOf(detailShape(EVENT_TYPES)));
  const leaves = [...known].flatMap(([field, isLeaf]) => (isLeaf ? [field] : []));
  expect(leaves.length).toBeGreaterThan(80);
  expect(leaves.filter((field) => !documented.has(field))).toEqual([]);
  // No pattern tells of the address that only a webhook's event has.
  expect([...documented].filter((field) => !known.has(field))).toEqual(["data.answersRef.url"]);
});

describe("docs/configuration.md", () => {
  it("has every field, with what it takes as npm run docs writes it", () => {
    const text = page("configuration");
    expect(withFields(text)).toBe(text);
    expect(() => withFields(text.replace("| `interval` |", "| `intervall` |"))).toThrow("there is no field intervall");
    expect(() => withFields(text.replace(/^\| `interval`.*$/m, ""))).toThrow("no row says what it means: interval");
  });
});

it("docs/internals/spec.md names for each rule tests that there are", () => {
  const text = page("internals/spec");
  const [, list = ""] = text.split("\n## Tests of each rule\n");
  const rows = [...list.matchAll(/^- (R\d+): (.+)$/gm)].map(([, rule, tests = ""]) => ({
    rule,
    paths: found(tests, /`([^`]+)`/g),
  }));
  expect(rows.map(({ rule }) => rule)).toEqual(found(text, /^### (R\d+) /gm));
  for (const { rule, paths } of rows) {
    expect(paths, rule).not.toEqual([]);
    expect(
      paths.filter((path) => !existsSync(path)),
      rule,
    ).toEqual([]);
  }
});
