import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DRAWN_CONFIG } from "../../codegen/pictures/drawn-config.ts";
import { folderPicture } from "../../codegen/pictures/folders.ts";
import { withDrawn } from "../../codegen/pictures/page.ts";
import { drawPage, PAGE } from "../../codegen/pictures/pictures.ts";
import { resourcePicture } from "../../codegen/pictures/resources.ts";
import { synthesize } from "./support/synthesize.ts";

describe("the pictures of docs/architecture.md", () => {
  it("are those that `npm run pictures` draws from the code", () => {
    const page = readFileSync(PAGE, "utf8");
    expect(drawPage(page, synthesize(DRAWN_CONFIG).toJSON())).toBe(page);
    // Synthesis takes seconds, and many of them beside other work.
  }, 120_000);

  it("have an arrow for each import between rooms, but for those that a longer way shows", () => {
    const sources = new Map([
      ["lib/polling/tick/a.ts", 'import { b } from "../survey/b.ts";\nimport type { C } from "../model/c.ts";'],
      ["lib/polling/survey/b.ts", 'export * from "../model/c.ts";\n// import { a } from "../tick/a.ts";'],
      ["lib/polling/model/c.ts", "const text = 'import { a } from \"../tick/a.ts\"';"],
    ]);
    expect(folderPicture(sources).split("\n").slice(4)).toEqual(["  survey --> model", "  tick --> survey"]);
  });

  it("show what a function may use by its policy", () => {
    const role = { Ref: "Role12345678" };
    const picture = resourcePicture({
      Resources: {
        Poll12345678: {
          Type: "AWS::Lambda::Function",
          Properties: { Role: { "Fn::GetAtt": ["Role12345678", "Arn"] } },
        },
        Role12345678: { Type: "AWS::IAM::Role" },
        Policy12345678: {
          Type: "AWS::IAM::Policy",
          Properties: { Roles: [role], PolicyDocument: { Statement: [{ Resource: { Ref: "Table12345678" } }] } },
        },
        Table12345678: { Type: "AWS::DynamoDB::Table" },
      },
    });
    expect(picture).toContain("  Poll --> Table");
    expect(picture).not.toContain("Role");
  });

  it("need a place on the page", () => {
    expect(() => withDrawn("# Page", "rooms", "…")).toThrow('no place for the picture "rooms"');
  });
});
