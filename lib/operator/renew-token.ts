import { section } from "../config/fields.ts";
import type { Operation } from "./operation.ts";

export interface TokenRenewal {
  /** Epoch milliseconds; null where nothing that can be believed says when it ends. */
  expiresAt: number | null;
  /** Whether it is in the token secret, for the invocations to come. */
  isKept: boolean;
  /** Names and types in the answer that the token came in. */
  shape: string;
}

/** Asks the service for a token in the place of the one that is kept. The token itself goes nowhere but into its secret. */
export const renewToken: Operation<object, TokenRenewal> = {
  input: section({}),
  async run({ graph, abortsAt }) {
    await graph.begin(abortsAt).state.account();
    const { expiresAt = null, isKept, shape } = await graph.api.renewToken();
    return { expiresAt, isKept, shape };
  },
};
