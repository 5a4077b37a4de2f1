import { describe } from "./describe.ts";
import { forget } from "./forget.ts";
import { redrive } from "./redrive.ts";
import { resend } from "./resend.ts";

/** All operations, by their kind. */
export const operations = {
  describe,
  forget,
  redrive,
  resend,
} as const;

export type OperationKind = keyof typeof operations;
export type InputOf<Kind extends OperationKind> = Parameters<(typeof operations)[Kind]["run"]>[1];
export type ResultOf<Kind extends OperationKind> = Awaited<ReturnType<(typeof operations)[Kind]["run"]>>;
