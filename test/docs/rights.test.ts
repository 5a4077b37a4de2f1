import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { synthesize } from "../infra/support/synthesize.ts";
import { firstCells } from "./support/first-cells.ts";

const page = readFileSync("docs/security.md", "utf8");

/** Sections of the document by the descriptions of the roles, of which each begins so. */
const SECTIONS: readonly [begin: string, section: string][] = [
  ["What the survey poller's function may do", "### The function"],
  ["What the survey poller's schedules may do", "### The schedules"],
  ["What the forwarder of webhook ", "### The forwarder of a webhook"],
];

interface Policy {
  PolicyDocument: { Statement: { Action: string | string[] }[] };
  Roles: { Ref: string }[];
}

const template = synthesize({
  sources: [{ baseUrl: "https://surveys.example.com" }],
  webhooks: [{ name: "desk", url: "https://desk.example.com", signing: { secret: "desk/signing" } }],
});
const policies = Object.values(template.findResources("AWS::IAM::Policy")).map(
  ({ Properties }) => Properties as Policy,
);
const roles = Object.entries(template.findResources("AWS::IAM::Role")).map(([id, { Properties }]) => ({
  description: String(Properties.Description),
  actions: policies
    .filter(({ Roles }) => Roles.some(({ Ref }) => Ref === id))
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement.flatMap(({ Action }) => Action)),
}));

/** A name without a service is one of the service before it. */
function documented(section: string): string[] {
  const [, text = ""] = page.split(`${section}\n`);
  let service = "";
  return firstCells(text.split(/\n#+ /)[0] ?? "", "action").map((name) => {
    if (!name.includes(":")) return `${service}${name}`;
    service = name.replace(/[^:]*$/, "");
    return name;
  });
}

const sorted = (all: readonly string[]): string[] => [...new Set(all)].sort();

describe("the rights by role in docs/security.md", () => {
  it("are those of every role of the template", () => {
    const sections = roles.map(({ description }) => SECTIONS.find(([begin]) => description.startsWith(begin))?.[1]);
    expect(sections.toSorted()).toEqual(SECTIONS.map(([, section]) => section).toSorted());
  });

  it.each(SECTIONS)("%s: the document has each action, and no other", (begin, section) => {
    const role = roles.find(({ description }) => description.startsWith(begin));
    expect(sorted(documented(section))).toEqual(sorted(role?.actions ?? []));
  });
});
