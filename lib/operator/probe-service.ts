import { section } from "../config/fields.ts";
import type { Operation } from "./operation.ts";
import { probe } from "./probe/probe.ts";
import type { ProbeReport } from "./probe/report.ts";

/** Looks at the survey service of a source with the token that is kept, and takes no lease. */
export const probeService: Operation<object, ProbeReport> = {
  input: section({}),
  async run({ graph, abortsAt }) {
    // What the other workers know of a pause that the service has asked for.
    await graph.begin(abortsAt).state.account();
    const signal = AbortSignal.timeout(Math.max(0, abortsAt - Date.now()));
    const { surveys, enrich } = graph.source;
    return probe({ api: graph.api, surveys, enrich, signal, now: Date.now });
  },
};
