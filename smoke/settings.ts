import { readFileSync } from "node:fs";
import type { ServiceSettings } from "./service/answer.ts";

/** The variable that names the file with the app's settings. */
export const SETTINGS_VARIABLE = "SURVEY_POLLER_SMOKE_SETTINGS";

/** What the app is synthesised from. */
export interface AppSettings {
  service: ServiceSettings;
  /** Known once the service is deployed; without it there is no poller to synthesise. */
  deployed?: {
    serviceUrl: string;
    /** Where the webhook goes; undefined where there are no function URLs. */
    recorderUrl?: string | undefined;
    recordedTable: string;
    /** Another account that subscribes. */
    otherAccount?: string | undefined;
    /** The bus, for that account. */
    busArn?: string | undefined;
  };
}

export function readAppSettings(environment: NodeJS.ProcessEnv): AppSettings {
  const file = environment[SETTINGS_VARIABLE];
  if (file === undefined) throw new Error(`this app is deployed by "npm run smoke", which sets ${SETTINGS_VARIABLE}`);
  return JSON.parse(readFileSync(file, "utf8")) as AppSettings;
}
