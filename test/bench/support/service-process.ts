import { startSimulator } from "../../../lib/local/simulator/index.ts";
import type { ServiceMessage, ServiceOptions } from "./service.ts";

// The survey service in a process of its own, so that its work is not the client's: see service.ts.

const { surveys, records = 5, latency = 0 } = JSON.parse(process.argv[2] ?? "{}") as ServiceOptions;
const simulator = await startSimulator({
  seed: 1,
  surveys: Object.entries(surveys).map(([id, responses]) => ({ surveyId: Number(id), responses, open: 0 })),
  settings: { recordsPerResponse: records },
  clientId: "bench",
  clientSecret: "bench",
});
let firstPageAt: number | undefined;
simulator.onPageRead(() => {
  firstPageAt ??= Date.now();
});
if (latency > 0) simulator.fault({ kind: "latency", ms: latency });
process.on("message", (message: ServiceMessage) => {
  if (message.kind === "complete") simulator.complete(message.surveyId);
  if (message.kind === "reset") {
    simulator.resetCounters();
    firstPageAt = undefined;
  }
  process.send?.({ requests: simulator.counters().requests ?? 0, firstPageAt });
});
process.on("disconnect", () => process.exit(0));
process.send?.({ url: simulator.url });
