import type { SourceConfig } from "../../../lib/config/index.ts";
import { errorCode } from "../../../lib/errors.ts";
import { describeFailure } from "../../../lib/monitoring/log.ts";
import type { CheckLine } from "../../../lib/operator/probe/report.ts";
import type { Io } from "../../io.ts";
import { askingAws } from "../../target/aws-failure.ts";
import type { Target } from "../../target/target.ts";
import type { StackLooks } from "./stack-looks.ts";

/** The context of a check. */
export interface CheckContext {
  target: Target;
  sources: readonly SourceConfig[];
  /** Of a stack alone. */
  looks: StackLooks | undefined;
  io: Pick<Io, "now">;
}

/** Looks at one side of a poller. It gives no line where there is nothing to say. */
export type Check = (context: CheckContext) => Promise<CheckLine[]>;

export const ok = (check: string, says: string): CheckLine => ({ check, state: "ok", says, todo: null, code: null });

export const warn = (check: string, says: string, todo: string): CheckLine => ({
  check,
  state: "warn",
  says,
  todo,
  code: null,
});

export const fail = (check: string, says: string, todo: string, code: string | null = null): CheckLine => ({
  check,
  state: "fail",
  says,
  todo,
  code,
});

/** The name of the lines that tell of rights which are missing. */
export const PERMISSIONS = "permissions";

/**
 * Runs a check that needs a right of AWS. Without the right it is told as such, and is no failure: whoever looks need not be allowed everything.
 *
 * @param permission such as "scheduler:GetSchedule"
 */
export async function allowed(
  check: string,
  permission: string,
  work: () => Promise<CheckLine | CheckLine[]>,
): Promise<CheckLine[]> {
  try {
    return [await askingAws(`${check} could not be looked at`, work)].flat();
  } catch (error) {
    if (errorCode(error) === "ACCESS_DENIED") {
      const todo = `Allow ${permission} to whoever runs this, or have somebody look who may.`;
      return [warn(PERMISSIONS, `without ${permission} nothing is known of: ${check}`, todo)];
    }
    const { code, message, hint } = describeFailure(error);
    return [fail(check, message, hint, code)];
  }
}
