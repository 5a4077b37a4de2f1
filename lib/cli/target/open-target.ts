import { existsSync } from "node:fs";
import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import type { Target } from "./target.ts";

/** Flags that mean the same for each verb that has them. */
export interface Flags {
  json?: true | undefined;
  stack?: string | undefined;
  data?: string | undefined;
  source?: string | undefined;
  survey?: number | undefined;
  from?: string | undefined;
  to?: string | undefined;
  yes?: true | undefined;
}

/** The bundle of the published package defines it. */
declare const IS_PACKAGE: true | undefined;

/** Undefined in the published package, which has no AWS of its own to open a data folder with. A checkout has one. */
export const loadDataTarget = typeof IS_PACKAGE === "undefined" ? () => import("./data-target.ts") : undefined;

const USUAL_FOLDER = ".survey-poller";

/**
 * The target that a verb works on. Without a flag it is the folder that `npm start` makes, where there is one.
 *
 * @example await using target = await openTarget(options, io);
 */
export async function openTarget({ stack, data }: Pick<Flags, "stack" | "data">, io: Io): Promise<Target> {
  // Each is loaded where it is meant: a command on a stack needs no AWS of its own, and one on a folder no CloudFormation.
  if (stack !== undefined) {
    const { openStackTarget } = await import("./stack-target.ts");
    return openStackTarget(stack, io);
  }
  if (loadDataTarget !== undefined && (data !== undefined || existsSync(USUAL_FOLDER))) {
    const { openDataTarget } = await loadDataTarget();
    return openDataTarget(data ?? USUAL_FOLDER, io);
  }
  throw new UsageError("it is not said which poller is meant", {
    hint:
      loadDataTarget === undefined
        ? "Give --stack NAME. A data folder is opened by npx survey-poller in the checkout whose npm start made it."
        : "Give --stack NAME for a deployed one, or --data DIR for the data folder of npm start.",
  });
}
