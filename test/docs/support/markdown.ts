import { globSync, readFileSync } from "node:fs";
import GithubSlugger from "github-slugger";
import { marked, type Token } from "marked";

/** A fenced block. */
export interface Fenced {
  /** Path and line. */
  place: string;
  /** The text of the heading that it stands below. */
  heading: string;
  /** The first word behind the fence, or "". */
  language: string;
  code: string;
}

export interface Document {
  path: string;
  fenced: Fenced[];
  links: { place: string; href: string }[];
  /** What a link may name behind "#". */
  anchors: ReadonlySet<string>;
}

/** Everything that people read, by path. */
export const documentPaths: readonly string[] = [
  ...globSync("*.md"),
  ...globSync("docs/**/*.md"),
  ...globSync("test/*/README.md"),
  ...globSync(".github/*.md"),
  ...globSync("examples/**/README.md", { exclude: ["**/node_modules/**"] }),
].sort();

/** One Markdown file, taken apart. */
export function readDocument(path: string): Document {
  const slugger = new GithubSlugger();
  const anchors = new Set<string>();
  const fenced: Fenced[] = [];
  const links: Document["links"] = [];
  let line = 1;
  let heading = "";
  for (const top of marked.lexer(readFileSync(path, "utf8"))) {
    const place = `${path}:${line}`;
    marked.walkTokens([top], (token) => {
      if (token.type === "code") {
        fenced.push({ place, heading, language: /^\S*/.exec(token.lang ?? "")?.[0] ?? "", code: token.text });
      } else if (token.type === "heading") {
        heading = headingText(token.tokens ?? []);
        anchors.add(slugger.slug(heading));
      } else if (token.type === "link" || token.type === "image") {
        links.push({ place, href: token.href });
      }
    });
    line += top.raw.split("\n").length - 1;
  }
  return { path, fenced, links, anchors };
}

export const documents: readonly Document[] = documentPaths.map(readDocument);

/** What an anchor is made of: inline code as it stands. */
function headingText(tokens: Token[]): string {
  return tokens
    .map((token) => ("tokens" in token && token.tokens !== undefined ? headingText(token.tokens) : unescaped(token)))
    .join("");
}

function unescaped(token: Token): string {
  const text = "text" in token ? String(token.text) : "";
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}
