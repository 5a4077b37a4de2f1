/** From the parsed JSON of an answer, of any shape, to what the client gives. */
export { asArray, asOnlyElement } from "./array.ts";
export type { BodyReader } from "./containers.ts";
export type { Irregularity } from "./irregularity.ts";
export { outline, outlineText } from "./outline.ts";
export {
  asEntries,
  documented,
  elementsOf,
  notShown,
  type ReadBody,
} from "./read-body.ts";
export * from "./readers.ts";
export { readReports } from "./reports.ts";
export { type Reading, type ResourceSchema, readResource, readResources } from "./resource.ts";
export { type ReadSingleResponse, readSingleResponse } from "./single-response.ts";
export type { Asked } from "./subject.ts";
export { readV2, type V2Body } from "./v2.ts";
