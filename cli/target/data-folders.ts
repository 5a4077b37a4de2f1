/** Options of a verb that works on a deployment or a data folder. */
export interface TargetOptions {
  json?: true | undefined;
  stack?: string | undefined;
  data?: string | undefined;
}

/** The bundle of the published package defines it. */
declare const IS_PACKAGE: true | undefined;

/** Undefined in the published package, which has no AWS of its own to open a data folder with. A checkout has one. */
export const loadDataTarget = typeof IS_PACKAGE === "undefined" ? () => import("./data-target.ts") : undefined;
