import { tick } from "../../lib/polling/tick/tick.ts";
import { CATCH_UP, toSurveyService } from "../../lib/service/survey-service.ts";
import { createSurveyApi } from "../../lib/survey-api/index.ts";
import { defaultSource } from "../polling/source.ts";
import { workOffAll } from "./backlogs.ts";
import { takingAll } from "./publisher.ts";
import { remoteState } from "./remote-state.ts";

// The poller alone in its process: see ../parts/memory.ts.

const [url = ""] = process.argv.slice(2);
const concurrency = 64;
const api = createSurveyApi({
  baseUrl: url,
  credentials: { clientId: "bench", clientSecret: "bench" },
  concurrency,
});
let emitted = 0;
const request = {
  ports: {
    clock: { now: Date.now, every: () => () => {} },
    service: toSurveyService(api),
    backlog: toSurveyService(api, CATCH_UP),
    state: remoteState(),
    publisher: takingAll(() => {
      emitted += 1;
    }),
    vault: { put: async () => {}, get: async () => undefined, delete: async () => {} },
    observe: () => {},
  },
  source: defaultSource({ startFrom: "beginning", concurrency }),
  owner: "bench",
  service: "bench",
  deadline: Number.POSITIVE_INFINITY,
};
await tick(request);
await workOffAll(request);
process.send?.({ done: { emitted, peak: process.resourceUsage().maxRSS * 1024 } });
