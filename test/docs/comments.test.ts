import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commentsIn, faultsOf } from "./support/comments.ts";

const comments = globSync("{lib,infra,cli,console,local,functions,codegen,packaging}/**/*.ts").flatMap((file) =>
  commentsIn(file, readFileSync(file, "utf8")).map((comment) => ({ file, ...comment })),
);

const faultsIn = (source: string): string[] => commentsIn("planted.ts", source).flatMap(faultsOf);

describe("the comments of the code", () => {
  it("are plain English: short sentences with a subject, and words of the glossary", () => {
    expect(comments.length).toBeGreaterThan(3_000);
    const faults = comments.flatMap((comment) =>
      faultsOf(comment).map((fault) => `${comment.file}:${comment.line} ${fault}`),
    );
    expect(faults).toEqual([]);
  });
});

describe("a planted comment is caught", () => {
  it.each([
    ["/** What a poll works with. */", 'begins with "What"'],
    ["/** That the bus answers. */", 'begins with "That"'],
    ["/** Those that wait. */", 'begins with "Those"'],
    ["/** But not twice. */", 'begins with "But"'],
    ["/**\n * The names.\n * A scrub reads them.\n */", 'has the old word "scrub"'],
    ["const a = 1; // ends by itself", 'has the old word "by itself"'],
  ])("%s", (source, fault) => {
    expect(faultsIn(source)).toEqual([fault]);
  });

  it("also a sentence that goes on over several line comments", () => {
    const words = "and so on ".repeat(6);
    expect(faultsIn(`// First ${words}\n// ${words}end.`)).toHaveLength(1);
  });

  it("and what is allowed is not", () => {
    const sentence = `The page ${"is read ".repeat(13)}twice.`;
    expect(faultsIn(`/** ${sentence} ${sentence} */`)).toEqual([]);
    expect(faultsIn("// What the bus refused is kept.")).toEqual([]);
    expect(faultsIn("/** The state. `carry`: the last page.\n *\n * @example\n * const pieces = 1;\n */")).toEqual([]);
    expect(faultsIn('const text = "/** What is in a string is no comment. */";')).toEqual([]);
  });
});
