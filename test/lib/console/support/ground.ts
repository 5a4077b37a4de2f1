import type { Ground } from "../../../../lib/console/changes.ts";

export const ground: Ground = {
  ...{ run: "run-1", polled: "a demo", command: "survey-poller", flags: "--data d" },
  ...{ mayAct: false, elsewhere: null, troubles: [] },
};
