import { globSync, readFileSync } from "node:fs";
import { folderPicture } from "./folders.ts";
import { fenced, withDrawn } from "./page.ts";
import { resourcePicture, type TemplateJson } from "./resources.ts";
import { statePicture, stateTable } from "./states.ts";

/** The page that has the pictures. */
export const PAGE = "docs/architecture.md";

/** The page with each picture drawn anew from the code and from a synthesized template. */
export function drawPage(page: string, template: TemplateJson): string {
  const sources = new Map(globSync("lib/polling/**/*.ts").map((file) => [file, readFileSync(file, "utf8")]));
  const pictures = {
    rooms: fenced(folderPicture(sources)),
    resources: fenced(resourcePicture(template)),
    states: `${fenced(statePicture())}\n\n${stateTable()}`,
  };
  return Object.entries(pictures).reduce((text, [name, picture]) => withDrawn(text, name, picture), page);
}
