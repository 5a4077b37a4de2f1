import { audit } from "./audit.ts";
import { backfill } from "./backfill.ts";
import { describe } from "./describe.ts";
import { forget } from "./forget.ts";
import { history } from "./history.ts";
import { look } from "./look.ts";
import { probeService } from "./probe-service.ts";
import { redrive } from "./redrive.ts";
import { renewToken } from "./renew-token.ts";
import { resend } from "./resend.ts";
import { sample } from "./sample.ts";

/** All operations, by their kind. */
export const operations = {
  audit,
  backfill,
  describe,
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
