import { globSync, readFileSync } from "node:fs";
import GithubSlugger from "github-slugger";
import { marked, type Token, type Tokens } from "marked";

/** A place in a document. */
export interface Placed {
  /** Path and line. */
  place: string;
}

/** A fenced block. */
export interface Fenced extends Placed {
  /** The first word behind the fence, or "". */
  language: string;
  code: string;
}

export interface Link extends Placed {
  href: string;
}

export interface Document {
  path: string;
  fenced: Fenced[];
  links: Link[];
  /** What a link may name behind "#". */
  anchors: ReadonlySet<string>;
}

/** Everything that people read, by path. */
export const documentPaths: readonly string[] = [
  ...globSync("*.md"),
  ...globSync("docs/**/*.md"),
  ...globSync("{bench,test}/*/README.md"),
  ...globSync("examples/**/README.md", { exclude: ["**/node_modules/**"] }),
].sort();

/** One Markdown file, taken apart. */
export function readDocument(path: string): Document {
  const text = readFileSync(path, "utf8");
  const slugger = new GithubSlugger();
  const anchors = new Set<string>();
  const document: Document = { path, fenced: [], links: [], anchors };
  let line = 1;
  for (const token of marked.lexer(text)) {
    collect(token, `${path}:${line}`, document, (heading) => anchors.add(slugger.slug(heading)));
    line += token.raw.split("\n").length - 1;
  }
  return document;
}

export const documents: readonly Document[] = documentPaths.map(readDocument);

/** Puts what a block holds where it belongs. */
function collect(token: Token, place: string, into: Document, addHeading: (text: string) => void): void {
  const inline = (tokens: Token[] = []): void => {
    into.links.push(...linksOf(tokens).map((href) => ({ place, href })));
  };
  switch (token.type) {
    case "code": {
      const { lang = "", text } = token as Tokens.Code;
      into.fenced.push({ place, language: /^\S*/.exec(lang)?.[0] ?? "", code: text });
      return;
    }
    case "table": {
      const { header, rows } = token as Tokens.Table;
      for (const cell of [...header, ...rows.flat()]) inline(cell.tokens);
      return;
    }
    case "heading":
      addHeading(headingText(token.tokens ?? []));
      inline(token.tokens);
      return;
    case "paragraph":
    case "text":
      inline(token.tokens);
      return;
    case "list":
      for (const item of (token as Tokens.List).items) collect(item, place, into, addHeading);
      return;
    default:
      for (const part of "tokens" in token ? (token.tokens ?? []) : []) collect(part, place, into, addHeading);
  }
}

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

function linksOf(tokens: Token[]): string[] {
  return tokens.flatMap((token) => [
    ...(token.type === "link" || token.type === "image" ? [String(token.href)] : []),
    ...("tokens" in token && token.tokens !== undefined ? linksOf(token.tokens) : []),
  ]);
}
