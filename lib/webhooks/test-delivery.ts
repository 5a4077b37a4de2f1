import * as z from "zod";
import { type DescribedFailure, describeFailure } from "../monitoring/log.ts";
import { type Attempt, attempt, type Endpoint } from "./attempt.ts";
import { PATIENCE } from "./post.ts";

/** The input by which the operator's command invokes the forwarder. */
const testDelivery = z.strictObject({ testDelivery: z.strictObject({ body: z.string() }) });
export type TestDelivery = z.infer<typeof testDelivery>;

/** How the endpoint answered; or what kept the event from being sent. */
export type TestAnswer =
  // The first line of the answer is for the operator alone: it stands in no log.
  | { delivery: Pick<Attempt, "status" | "milliseconds" | "problem" | "outcome"> & { firstLine: string | null } }
  | { error: DescribedFailure };

export function isTestDelivery(event: unknown): event is TestDelivery {
  return testDelivery.safeParse(event).success;
}

/** Posts a test event once, whatever the endpoint answers. */
export async function deliverTest({ testDelivery: { body } }: TestDelivery, endpoint: Endpoint): Promise<TestAnswer> {
  try {
    const made = await attempt(endpoint, { body, otherId: "test", patience: PATIENCE, readsAnswer: true });
    const { status, milliseconds, problem, outcome, firstLine = null } = made;
    return { delivery: { status, milliseconds, problem, outcome, firstLine } };
  } catch (error) {
    return { error: describeFailure(error) };
  }
}
