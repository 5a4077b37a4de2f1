/** The survey service of the API document on one machine, with a setting for everything that the document leaves open. */

export { runDemoLife } from "./demo.ts";
export type { Fault } from "./faults.ts";
export type { TruthResponse } from "./model.ts";
export type { ListedRecord } from "./responses.ts";
export type { CountRule, Settings, SettingsPatch } from "./settings.ts";
export { type Followed, responseKey, runShadow, type Shadow, type Why } from "./shadow.ts";
export { type Simulator, type SimulatorOptions, startSimulator } from "./simulator.ts";
export type { SurveySpec } from "./survey.ts";
