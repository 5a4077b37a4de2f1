export { runDemoLife } from "./demo.ts";
export type { Fault, FaultKind } from "./faults.ts";
export type { PageHook } from "./operations.ts";
export type { EnrichmentOverride, ListedRecord, ResponseOverrides } from "./responses.ts";
export type { Operation } from "./routes.ts";
export type { RequestLogEntry } from "./service.ts";
export type { CountRule, RateLimit, Settings, SettingsPatch } from "./settings.ts";
export { type Followed, runShadow, type Shadow, type Why } from "./shadow.ts";
export { type Simulator, type SimulatorOptions, startSimulator } from "./simulator.ts";
export type { SurveySpec } from "./survey.ts";
export type { TruthResponse } from "./truth.ts";
/** The survey service of the API document on one machine, with a setting for everything that the document leaves open. */
