import { section } from "../config/fields.ts";
import { audit } from "./audit.ts";
import { backfill } from "./backfill.ts";
import { emitted } from "./emitted.ts";
import { forget } from "./forget.ts";
import { history } from "./history.ts";
import { look } from "./look.ts";
import type { Operation } from "./operation.ts";
import { probe } from "./probe/probe.ts";
import type { ProbeReport } from "./probe/report.ts";
import { redrive } from "./redrive.ts";
import { resend } from "./resend.ts";
import { sample } from "./sample.ts";

/** The configuration with which the function was deployed; it holds no secret. */
const describe: Operation<object, { config: unknown }> = {
  input: section({}),
  run: async ({ rawConfig }) => ({ config: rawConfig }),
};

/** Looks at the survey service of a source with the token that is kept, and takes no lease. */
const probeService: Operation<object, ProbeReport> = {
  input: section({}),
  async run({ graph, abortsAt }) {
    // What the other workers know of a pause that the service has asked for.
    await graph.begin(abortsAt).state.account();
    const signal = AbortSignal.timeout(Math.max(0, abortsAt - Date.now()));
    const { surveys, enrich } = graph.source;
    return probe({ api: graph.api, surveys, enrich, signal, now: Date.now });
  },
};

interface TokenRenewal {
  /** Epoch milliseconds; null where nothing that can be believed says when it ends. */
  expiresAt: number | null;
  /** Whether it is in the token secret, for the invocations to come. */
  isKept: boolean;
  /** Names and types in the answer that the token came in. */
  shape: string;
}

/** Asks the service for a token in the place of the one that is kept. The token itself goes nowhere but into its secret. */
const renewToken: Operation<object, TokenRenewal> = {
  input: section({}),
  async run({ graph, abortsAt }) {
    await graph.begin(abortsAt).state.account();
    const { expiresAt = null, isKept, shape } = await graph.api.renewToken();
    return { expiresAt, isKept, shape };
  },
};

/** All operations, by their kind. */
export const operations = {
  audit,
  backfill,
  describe,
  emitted,
  forget,
  history,
  redrive,
  resend,
  probe: probeService,
  "renew-token": renewToken,
  look,
  sample,
} as const;

export type OperationKind = keyof typeof operations;
export type InputOf<Kind extends OperationKind> = Parameters<(typeof operations)[Kind]["run"]>[1];
export type ResultOf<Kind extends OperationKind> = Awaited<ReturnType<(typeof operations)[Kind]["run"]>>;
