import { describe } from "./describe.ts";
import { look } from "./look.ts";

/** All operations, by their kind. */
export const operations = {
  describe,
  look,
} as const;

export type OperationKind = keyof typeof operations;
export type InputOf<Kind extends OperationKind> = Parameters<(typeof operations)[Kind]["run"]>[1];
export type ResultOf<Kind extends OperationKind> = Awaited<ReturnType<(typeof operations)[Kind]["run"]>>;
