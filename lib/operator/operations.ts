import { section } from "../config/fields.ts";
import { pathText } from "../config/parse.ts";
import { describeFailure, fromLevel } from "../monitoring/log.ts";
import { watchProgress } from "../monitoring/sightings.ts";
import { PollInputError } from "../run/poll-input.ts";
import { audit } from "./audit.ts";
import { backfill } from "./backfill.ts";
import { emitted } from "./emitted.ts";
import { forget } from "./forget.ts";
import { look } from "./look.ts";
import { type Operation, type OperationContext, operation } from "./operation.ts";
import { probe } from "./probe/probe.ts";
import { redrive } from "./redrive.ts";
import { resend } from "./resend.ts";
import { sample } from "./sample.ts";

/** The configuration with which the function was deployed; it holds no secret. */
const describe = operation({
  input: section({}),
  run: async ({ rawConfig }) => ({ config: rawConfig }),
});

/** Looks at the survey service of a source with the token that is kept, and takes no lease. */
const probeService = operation({
  input: section({}),
  async run({ graph, ports, abortsAt }) {
    // Tells the client what the other workers know of a pause that the service has asked for.
    await ports.state.account();
    const signal = AbortSignal.timeout(Math.max(0, abortsAt - Date.now()));
    const { surveys, enrich, timeZone } = graph.source;
    return probe({ api: graph.api, surveys, enrich, timeZone, signal, now: Date.now });
  },
});

/** Asks the service for a token in the place of the one that is kept. The token itself goes nowhere but into its secret. */
const renewToken = operation({
  input: section({}),
  async run({ graph, ports }) {
    await ports.state.account();
    // When it ends (epoch milliseconds), where that can be believed; whether it is kept for the invocations to come; and names and types it came in.
    const { expiresAt = null, isKept, shape } = await graph.api.renewToken();
    return { expiresAt, isKept, shape };
  },
});

export const operations = {
  audit,
  backfill,
  describe,
  emitted,
  forget,
  redrive,
  resend,
  probe: probeService,
  "renew-token": renewToken,
  look,
  sample,
};

export type OperationKind = keyof typeof operations;
export type InputOf<Kind extends OperationKind> = Parameters<(typeof operations)[Kind]["run"]>[1];
export type ResultOf<Kind extends OperationKind> = Awaited<ReturnType<(typeof operations)[Kind]["run"]>>;

/** The answer of an invocation with an operation: an error is data too, since Lambda's own form of it drops the hint. */
export type OperationOutput = { result: object } | { error: { code: string; message: string; hint: string } };

export async function runOperation(
  context: Omit<OperationContext, "ports">,
  { kind, ...input }: { kind: string; [field: string]: unknown },
): Promise<OperationOutput> {
  const { graph, abortsAt } = context;
  const { name: source, logLevel } = graph.source;
  const logger = fromLevel(logLevel, context.logger);
  const { ports } = watchProgress(graph.begin(abortsAt), source, logger);
  try {
    const result = await parse(kind, input)({ ...context, ports, logger });
    logger.info("operation", { source, kind });
    return { result };
  } catch (error) {
    const { message, ...failure } = describeFailure(error);
    const { code, hint } = failure;
    logger.warn("operation failed", { source, kind, ...failure, reason: message });
    return { error: { code, message, hint } };
  } finally {
    await graph.settle();
  }
}

/** The operation, ready to run. @throws PollInputError that names every bad field */
function parse(kind: string, input: object): (context: OperationContext) => Promise<object> {
  if (!Object.hasOwn(operations, kind)) {
    throw new PollInputError(`Bad input: operation.kind must be one of ${Object.keys(operations).join(", ")}.`);
  }
  const asked = operations[kind as keyof typeof operations] as unknown as Operation<unknown, object>;
  const parsed = asked.input.safeParse(input);
  if (parsed.success) return (context) => asked.run(context, parsed.data);
  const problems = parsed.error.issues.map(({ path, message }) =>
    ["operation", pathText(path)].filter(Boolean).join(".").concat(`: ${message}`),
  );
  throw new PollInputError(`Bad input: ${[...new Set(problems)].join("; ")}.`);
}
