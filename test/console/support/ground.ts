import type { Ground } from "../../../console/apply.ts";

export const ground: Ground = {
  ...{ run: "run-1", polled: "a demo", flags: "--data d" },
  ...{ mayAct: false, elsewhere: null, troubles: [] },
};
