import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { firstCells } from "./support/first-cells.ts";

const pages = ["docs/runbook.md", "docs/codes.md"].map((path) => readFileSync(path, "utf8")).join("\n");
const textOf = (pattern: string): string =>
  globSync(pattern)
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
const found = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, one]) => one ?? "");
const sorted = (all: Iterable<string>): string[] => [...new Set(all)].sort();

/** Words in capitals that are no codes of failures. A new one is taken for a code until it stands here. */
const NO_CODES = new Set([
  ...["DELETE", "HEAD", "POST"],
  ...["DEBUG", "ERROR", "ERROR_LOGS", "INFO", "SILENT", "WARN"],
  ...["ACCOUNT", "MARK", "SHARED"],
  // Of DynamoDB, Secrets Manager and CloudFormation.
  ...[
    "ACTIVE",
    "ALL_NEW",
    "AWSCURRENT",
    "AWSPREVIOUS",
    "COUNT",
    "DISABLED",
    "ENABLED",
    "HASH",
    "PAY_PER_REQUEST",
    "RANGE",
  ],
  // Of EventBridge's replays, and of CloudWatch's alarms.
  ...["ALARM", "COMPLETED", "FAILED", "STARTING"],
  // Of Node and the system.
  ...["EAGAIN", "ENOENT", "EPIPE", "ERR_BUFFER_TOO_LARGE", "SIGHUP", "SIGINT", "SIGTERM"],
  // Of variables that lead an SDK to an endpoint.
  ...["DYNAMODB", "EVENTBRIDGE", "SECRETS_MANAGER"],
  ...["CSAT", "HS256", "HTML"],
  ...["SECRET", "SURVEY_CLIENT_ID", "SURVEY_CLIENT_SECRET"],
]);

/** A document says of each what it means, where to look and what to do: here, or here alone where only its own words do. */
describe("the runbook with its codes", () => {
  it("has every code of a failure, and none that there is not", () => {
    const sources = ["lib", "functions", "cli", "infra", "local"]
      .map((folder) => textOf(`${folder}/**/*.ts`))
      .join("\n");
    const thrown = found(sources, /"([A-Z][A-Z0-9_]{3,})"/g).filter((word) => !NO_CODES.has(word));
    const explained = [...found(pages, /^### ([A-Z0-9_]+)$/gm), ...firstCells(pages, "code")];
    expect(sorted(explained)).toEqual(sorted(thrown));
  });

  it("explains each code in one place", () => {
    const explained = [...found(pages, /^### ([A-Z0-9_]+)$/gm), ...firstCells(pages, "code")];
    expect(explained.toSorted()).toEqual(sorted(explained));
  });

  it("has every reason for which a response is not out, and none that there is not", () => {
    const polling = textOf("lib/{polling,operator}/**/*.ts");
    const constants = found(polling, /\breason: ([A-Z_]+)\b/g).flatMap((name) =>
      found(polling, new RegExp(`const ${name} = "([^"]+)"`, "g")),
    );
    // In front of a code, or of what else is known: `bus:`, `metrics:`.
    const open = found(polling, /`(\w+):\$\{/g).map((kind) => `${kind}:<code>`);
    const details = found(textOf("lib/polling/model/ledger-entry.ts"), /type DetailKind = ([^;]+);/g)
      .flatMap((kinds) => found(kinds, /"(\w+)"/g))
      .flatMap((kind) => [`${kind}:<code>`, `${kind}:absent`, `${kind}:OUTAGE`]);
    const given = [...found(polling, /\breason(?: =|:) "([^"]+)"/g), ...constants, ...open, ...details];
    expect(sorted(firstCells(pages, "reason"))).toEqual(sorted(given));
  });

  it("has every code that the publisher knows of the bus, and none that it does not", () => {
    const known = found(textOf("lib/publisher/event-bridge.ts"), /"(?:request:)?([A-Z][a-z]+[A-Z][A-Za-z]+)"/g);
    expect(sorted(firstCells(pages, "code of the bus"))).toEqual(sorted(known));
  });
});
