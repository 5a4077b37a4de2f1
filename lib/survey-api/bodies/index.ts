/** From the parsed JSON of an answer, of any shape, to what the client gives. */
export * from "./documents.ts";
export { outline, outlineText } from "./outline.ts";
export { asEntries, documented, elementsOf, notShown, type ReadBody } from "./read-body.ts";
export { readReports } from "./reports.ts";
export { readSingleResponse } from "./single-response.ts";
export { type Asked, aboutAsked, saysNothing } from "./subject.ts";
