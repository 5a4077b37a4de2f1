/** Schemas and types of every resource in section 2 of the API document. Unknown fields are kept at every level. */
export * from "./metrics.ts";
export * from "./questions.ts";
export * from "./reports.ts";
export * from "./responses.ts";
export * from "./surveys.ts";
