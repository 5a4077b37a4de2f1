import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { type Document, documents, readDocument } from "./support/markdown.ts";

const byPath = new Map(documents.map((document) => [document.path, document]));

/** The links of a document within the project: the file that each leads to, and what stands behind "#". */
function linksOf({ path, links }: Document) {
  const own = links.filter(({ href }) => !/^[a-z][a-z0-9+.-]*:/i.test(href));
  return own.map(({ place, href }) => {
    const [file = "", anchor] = href.split("#");
    return { place, href, anchor, file: file === "" ? path : normalize(join(dirname(path), decodeURI(file))) };
  });
}

function problem(file: string, anchor: string | undefined): string | undefined {
  if (!existsSync(file)) return "there is no such file";
  if (anchor === undefined || !file.endsWith(".md")) return undefined;
  const { anchors } = byPath.get(file) ?? readDocument(file);
  return anchors.has(anchor) ? undefined : `there is no heading "#${anchor}"`;
}

/** Where code, in a comment or a message, names a document: `docs/runbook.md#alarms`. */
const IN_CODE = /(?<![\w/.-])(?:docs\/[\w/-]+|README|test\/deploy\/README)\.md(?:#([\w-]+))?/g;

const sources = globSync("{examples,functions,infra,lib,test/bench,test/smoke}/**/*.{ts,py,sh}", {
  exclude: ["**/node_modules/**", "**/.venv/**", "**/target/**"],
});

describe("links", () => {
  it.each(documents)("of $path lead to files and headings that there are", (document) => {
    const dead = linksOf(document).flatMap(({ place, href, file, anchor }) => {
      const wrong = problem(file, anchor);
      return wrong === undefined ? [] : [`${place}: ${href}: ${wrong}`];
    });
    expect(dead).toEqual([]);
  });

  it("of what the package holds lead to what the package holds", () => {
    const { files } = JSON.parse(readFileSync("package.json", "utf8")) as { files: string[] };
    const packed = ["README.md", "LICENSE", "package.json", ...files.filter((path) => !path.startsWith("!"))];
    const isPacked = (path: string): boolean => packed.some((one) => path === one || path.startsWith(`${one}/`));
    const outside = documents
      .filter(({ path }) => isPacked(path))
      .flatMap(linksOf)
      .filter(({ file }) => !isPacked(file));
    expect(outside).toEqual([]);
  });

  it("of the code lead to documents that there are", () => {
    let named = 0;
    const dead = sources.flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(IN_CODE)].flatMap(([href, anchor]) => {
        named += 1;
        const wrong = problem(href.replace(/#.*/, ""), anchor);
        return wrong === undefined ? [] : [`${path}: ${href}: ${wrong}`];
      }),
    );
    expect(named).toBeGreaterThan(10);
    expect(dead).toEqual([]);
  });

  it("lead from docs/README.md to every document in docs", () => {
    const reached = new Set<string>();
    const waiting = ["docs/README.md"];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const document = byPath.get(path);
      if (document === undefined || reached.has(path)) continue;
      reached.add(path);
      // The front page has links to all: the index is to have them, too.
      if (path === "README.md") continue;
      waiting.push(...linksOf(document).map(({ file }) => file));
    }
    expect([...byPath.keys()].filter((path) => path.startsWith("docs/") && !reached.has(path))).toEqual([]);
  });
});
