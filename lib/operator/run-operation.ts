import { pathText } from "../config/parse.ts";
import { describeFailure, fromLevel } from "../monitoring/log.ts";
import { watchProgress } from "../monitoring/sightings.ts";
import { PollInputError } from "../run/poll-input.ts";
import type { Operation, OperationContext } from "./operation.ts";
import { operations } from "./operations.ts";

/** The answer of an invocation with an operation: an error is data too, since Lambda's own form of it drops the hint. */
export type OperationOutput = { result: object } | { error: { code: string; message: string; hint: string } };

/** Runs one operation on one source. */
export async function runOperation(
  context: OperationContext,
  { kind, ...input }: { kind: string; [field: string]: unknown },
): Promise<OperationOutput> {
  const { name: source, logLevel } = context.graph.source;
  const logger = fromLevel(logLevel, context.logger);
  const graph: OperationContext["graph"] = {
    ...context.graph,
    begin: (abortsAt) => watchProgress(context.graph.begin(abortsAt), source, logger).ports,
  };
  try {
    const { operation, parsed } = parse(kind, input);
    const result = await operation.run({ ...context, graph, logger }, parsed);
    logger.info("operation", { source, kind });
    return { result };
  } catch (error) {
    const { message, ...failure } = describeFailure(error);
    const { code, hint } = failure;
    logger.warn("operation failed", { source, kind, ...failure, reason: message });
    return { error: { code, message, hint } };
  } finally {
    await context.graph.settle();
  }
}

/** @throws PollInputError that names every bad field */
function parse(kind: string, input: object): { operation: Operation<unknown, object>; parsed: unknown } {
  if (!Object.hasOwn(operations, kind)) {
    throw new PollInputError(`Bad input: operation.kind must be one of ${Object.keys(operations).join(", ")}.`);
  }
  const operation = operations[kind as keyof typeof operations] as unknown as Operation<unknown, object>;
  const parsed = operation.input.safeParse(input);
  if (parsed.success) return { operation, parsed: parsed.data };
  const problems = parsed.error.issues.map(({ path, message }) =>
    ["operation", pathText(path)].filter(Boolean).join(".").concat(`: ${message}`),
  );
  throw new PollInputError(`Bad input: ${[...new Set(problems)].join("; ")}.`);
}
