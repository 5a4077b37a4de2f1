import { setTimeout as pause } from "node:timers/promises";
import { paginateFilterLogEvents } from "@aws-sdk/client-cloudwatch-logs";
import { InvokeCommand } from "@aws-sdk/client-lambda";
import { left, outputOf, type SmokeCheck, type SmokeContext } from "../context.ts";
import { OUTPUTS } from "../names.ts";
import { mustBe } from "../run/check.ts";
import { isSmall, nextSmall } from "../service/plan.ts";
import { duplicates, responsesOf } from "./events.ts";

const ROUNDS = 4;
/** Begun at the same moment: of one source at most two may be at work, and the third leaves. */
const AT_ONCE = 3;

/** Invocations are begun at the same moment, just when something is new, again and again: nothing goes out twice. */
export const overlap: SmokeCheck = {
  name: "overlap",
  needs: [],
  after: ["schedule"],
  deadline: 300_000,
  async run(context, { until, signal }) {
    const { plan } = context.service;
    const queue = left(context.queue, "the queue");
    const since = Date.now();
    for (let round = 0; round < ROUNDS; round += 1) {
      await pause(Math.max(0, nextSmall(plan, Date.now()) - Date.now()), undefined, { signal });
      await Promise.all(Array.from({ length: AT_ONCE }, () => invoke(context)));
    }
    const completed = Math.floor((Date.now() - plan.origin) / plan.every);
    await until(`events of ${completed} small responses`, async () => {
      await queue.drain();
      return [...responsesOf(queue.events)].filter(isSmall).length >= completed ? true : undefined;
    });
    const spans = await until(`the reports of ${ROUNDS * AT_ONCE} invocations in the log`, async () => {
      const found = await spansOf(context, since);
      return found.length >= ROUNDS * AT_ONCE ? found : undefined;
    });
    const beside = spans.filter((one) => spans.some((other) => other !== one && overlaps(one, other))).length;
    mustBe(beside > 0, "no two invocations were at work at the same time", "run it again: --only overlap");
    const again = duplicates(queue.events);
    mustBe(
      again.length === 0,
      `${again.length} events were emitted twice: ${again.slice(0, 3)}`,
      "see docs/runbook.md",
    );
    return `${beside} of ${spans.length} invocations were at work beside another one, ${completed} responses went out once each`;
  },
};

async function invoke(context: SmokeContext): Promise<void> {
  const FunctionName = outputOf(context, "pollFunction", OUTPUTS);
  const { FunctionError, Payload } = await context.aws.lambda.send(new InvokeCommand({ FunctionName }));
  const text = Buffer.from(Payload ?? []).toString("utf8");
  mustBe(FunctionError === undefined, `an invocation has failed: ${text}`, "see the function's log");
}

/** When an invocation was at work, in epoch milliseconds by Lambda's own report. */
interface Span {
  begin: number;
  end: number;
}

async function spansOf(context: SmokeContext, startTime: number): Promise<Span[]> {
  const logGroupName = outputOf(context, "pollLogGroup", OUTPUTS);
  const spans: Span[] = [];
  const asked = { logGroupName, startTime, filterPattern: "REPORT" };
  for await (const page of paginateFilterLogEvents({ client: context.aws.logs }, asked)) {
    for (const { message = "", timestamp = 0 } of page.events ?? []) {
      const duration = /^REPORT .*?\bDuration: ([\d.]+) ms/.exec(message)?.[1];
      if (duration !== undefined) spans.push({ begin: timestamp - Number(duration), end: timestamp });
    }
  }
  return spans;
}

function overlaps(one: Span, other: Span): boolean {
  return one.begin < other.end && other.begin < one.end;
}
