import * as z from "zod";
import { section } from "../config/fields.ts";
import type { Ports } from "../polling/ports.ts";
import { redrive as redriveSurveys, type SurveyRedrive } from "../polling/survey/redrive.ts";
import type { Operation } from "./operation.ts";
import { reasonOf } from "./set-aside.ts";

const IDS = "must be a list of survey ids, whole numbers above 0";

export interface RedriveInput {
  surveyIds: number[];
  /** Only those with this reason. */
  reason?: string | undefined;
}

/** Puts responses that were set aside back on their way; they go out at the next tick. A survey whose outcome is "unfinished" is to be asked for again. */
export const redrive: Operation<RedriveInput, { surveys: SurveyRedrive[] }> = {
  input: section({
    surveyIds: z
      .array(z.int({ error: IDS }).positive({ error: IDS }), { error: IDS })
      .nonempty({ error: IDS })
      .transform((ids) => [...new Set(ids)]),
    reason: z.string({ error: "must be the reason of some that were set aside" }).optional(),
  }),
  async run({ graph, owner, deadline, abortsAt, logger }, { surveyIds, reason }) {
    const { source } = graph;
    const ports = only(reason, graph.begin("tick", abortsAt));
    const surveys = await redriveSurveys({ ports, source, surveyIds, owner, deadline });
    for (const survey of surveys) {
      logger[survey.outcome === "failed" ? "warn" : "info"]("redrive", { source: source.name, ...survey });
    }
    return { surveys };
  },
};

/** Ports that show of what was set aside only those with this reason. */
function only(reason: string | undefined, ports: Ports): Ports {
  if (reason === undefined) return ports;
  const forRedrive: Ports["state"]["forRedrive"] = async (surveyId, from) => {
    const page = await ports.state.forRedrive(surveyId, from);
    return { ...page, entries: page.entries.filter((entry) => reasonOf(entry) === reason) };
  };
  return { ...ports, state: { ...ports.state, forRedrive } };
}
