import { parseArgs } from "node:util";
import { type Cuts, noCuts } from "../plan/chooser.ts";

export const USAGE = `npm run simulate -- [--seeds N] [--seed S] [--trace] [--no-shrink]
  [--drop INGREDIENT,...] [--ticks N] [--responses N]    the cuts of a shrunk history`;

export class UsageError extends Error {}

export function parseOptions(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      seeds: { type: "string" },
      seed: { type: "string" },
      drop: { type: "string" },
      ticks: { type: "string" },
      responses: { type: "string" },
      trace: { type: "boolean", default: false },
      "no-shrink": { type: "boolean", default: false },
    },
  });
  const number = (text: string | undefined, otherwise: number): number => {
    if (text === undefined) return otherwise;
    if (!/^\d+$/.test(text)) throw new UsageError(`${text} is no whole number`);
    return Number(text);
  };
  const cuts: Cuts = {
    drop: new Set((values.drop ?? "").split(",").filter((name) => name !== "")),
    ticks: number(values.ticks, noCuts.ticks),
    responses: number(values.responses, noCuts.responses),
  };
  const single = values.seeds === undefined && values.seed !== undefined;
  return {
    /** Histories to run, from this seed on. */
    seeds: number(values.seeds, single ? 1 : 500),
    seed: number(values.seed, 1),
    trace: values.trace,
    /** Whether a failing history is cut down. */
    shrink: !values["no-shrink"],
    cuts,
  };
}

export function isCut({ drop, ...sizes }: Cuts): boolean {
  return drop.size > 0 || Object.values(sizes).some(Number.isFinite);
}

/** The command that runs one history again. */
export function replayCommand(seed: number, cuts: Cuts): string {
  const parts = [`npm run simulate -- --seed ${seed}`];
  if (cuts.drop.size > 0) parts.push(`--drop ${[...cuts.drop].join(",")}`);
  for (const name of ["ticks", "responses"] as const) {
    if (Number.isFinite(cuts[name])) parts.push(`--${name} ${cuts[name]}`);
  }
  return [...parts, "--trace"].join(" ");
}
