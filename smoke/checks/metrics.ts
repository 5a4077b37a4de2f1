import { ListMetricsCommand } from "@aws-sdk/client-cloudwatch";
import { NAMESPACE } from "../../lib/monitoring/catalog.ts";
import { outputOf, type SmokeCheck, type SmokeContext } from "../context.ts";
import { OUTPUTS } from "../names.ts";

/** What each tick, and each event, writes. The others are written only when there is something to tell. */
const ALWAYS = ["CredentialsProblem", "DetectionLag", "Emitted", "Stalled"];

/** Metrics out of the function's log lines, by both dimensions. */
export const metrics: SmokeCheck = {
  name: "metrics",
  needs: [],
  after: ["schedule"],
  // A new metric may take a quarter of an hour until it is listed.
  deadline: 1_200_000,
  async run(context, { until }) {
    const names = await until(`metrics ${ALWAYS.join(", ")}`, async () => {
      const found = await metricsOf(context);
      return ALWAYS.every((name) => found.has(name)) ? found : undefined;
    });
    const deployment = outputOf(context, "deployment", OUTPUTS);
    return `${[...names].sort().join(", ")} with service ${deployment} and source main`;
  },
};

/** Names of metrics that there are with exactly these dimensions. */
export async function metricsOf(context: SmokeContext): Promise<Set<string>> {
  const Dimensions = [
    { Name: "service", Value: outputOf(context, "deployment", OUTPUTS) },
    { Name: "source", Value: "main" },
  ];
  const { Metrics = [] } = await context.aws.cloudWatch.send(
    new ListMetricsCommand({ Namespace: NAMESPACE, Dimensions }),
  );
  return new Set(Metrics.filter((one) => one.Dimensions?.length === 2).flatMap(({ MetricName }) => MetricName ?? []));
}
