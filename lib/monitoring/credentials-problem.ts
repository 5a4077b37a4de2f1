import { errorCode } from "../errors.ts";
import { CredentialsMissingError } from "../survey-api/index.ts";
import { type DescribedFailure, describeFailure, type Log } from "./log.ts";

/**
 * A problem with a source's credentials, by a stable code. Missing: the secret has no value yet. Unreadable: it holds something else, or
 * may not be read. Rejected: the service does not take them, or the account is closed.
 */
export interface CredentialsProblem extends DescribedFailure {
  kind: "missing" | "unreadable" | "rejected";
}

const REJECTED = new Set(["WRONG_CREDENTIALS", "WRONG_TOKEN"]);

/** The problem with the credentials that an error tells of, when only a person can solve it; undefined for any other error. */
export function credentialsProblem(error: unknown): CredentialsProblem | undefined {
  const described = describeFailure(error);
  if (error instanceof CredentialsMissingError) {
    // Polling knows one code for having none: whatever the reason, it ends its work.
    if (error.isUnreadable) return { ...described, kind: "unreadable", code: "CREDENTIALS_UNREADABLE" };
    return { ...described, kind: "missing" };
  }
  return REJECTED.has(errorCode(error)) ? { ...described, kind: "rejected" } : undefined;
}

/** Problems that the log of this process has told of each source. Sources are told apart by their object, of which a process makes one each. */
const told = new WeakMap<object, string>();

/** Says once what is wrong, and not at every tick: a process lives for hours, and an alarm tells for as long as it lasts. */
export function tellProblem(source: { name: string }, problem: CredentialsProblem, logger: Log): void {
  const { kind, code, message: reason, hint } = problem;
  if (told.get(source) === code) return;
  told.set(source, code);
  logger.error("credentials problem", { source: source.name, kind, code, reason, hint });
}

/** Says that it is over, where it was told that there is one. */
export function tellSolved(source: { name: string }, logger: Log): void {
  if (told.delete(source)) logger.info("credentials work", { source: source.name });
}
