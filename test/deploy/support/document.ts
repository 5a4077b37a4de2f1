import { join } from "node:path";
import { readDocument } from "../../docs/support/markdown.ts";
import { ROOT } from "./cdk.ts";

/** The code of each block below a heading of a document of the project. */
export function blocksBelow(path: string, heading: string): string[] {
  const { fenced } = readDocument(join(ROOT, path));
  return fenced.filter((block) => block.heading === heading).map(({ code }) => code);
}
