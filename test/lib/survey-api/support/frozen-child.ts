import { createSurveyApi } from "../../../../lib/survey-api/index.ts";

// A process with twenty clients: on each message it stands still, as a function does that is frozen between two
// invocations, makes twenty calls before it has seen what happened to its connections, and tells how many failed.

const baseUrl = process.argv[2] ?? "";
const clients = Array.from({ length: 20 }, () =>
  createSurveyApi({ baseUrl, credentials: { clientId: "c", clientSecret: "s" }, concurrency: 1 }),
);

process.on("message", ({ frozen, renew }: { frozen: number; renew: boolean }) => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, frozen);
  const round = clients.map((api) => (renew ? api.token() : api.surveys()));
  void Promise.allSettled(round).then((outcomes) =>
    process.send?.(outcomes.filter(({ status }) => status === "rejected").length),
  );
});
process.on("disconnect", () => process.exit());
process.send?.("ready");
