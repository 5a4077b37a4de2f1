import type { EventLogLine } from "../../target/event-log.ts";

// Words for what codes and figures mean.

/** "2026-11-26 19:44:25Z", and with milliseconds where `exact`. */
export function instant(at: number, exact = false): string {
  return `${new Date(at)
    .toISOString()
    .slice(0, exact ? 23 : 19)
    .replace("T", " ")}Z`;
}

const ORIGINS: Readonly<Record<string, string>> = {
  head: "by reading the head of the list",
  "catch-up": "by a catch-up",
  search: "by a search below the head",
  patrol: "by the patrol",
  "full-pass": "by a full pass",
  recheck: "by a re-check of open or held ones",
  replay: "by a redrive",
};

export function originText(origin: string | undefined): string {
  return origin === undefined ? "" : (ORIGINS[origin] ?? `by ${origin}`);
}

/** Where it was listed. */
export function listedText({ listed, origin }: Pick<EventLogLine, "listed" | "origin">): string {
  if (listed === undefined) return originText(origin);
  const order = listed.order === "desc" ? "newest first" : "oldest first";
  return [`page ${listed.page} (${order}), request ${listed.request} of its run`, originText(origin)]
    .filter(Boolean)
    .join(", ");
}

const PROOFS: Readonly<Record<string, string>> = {
  "its page": "whole by its page",
  "both pages": "whole by both pages beside the edge, read again",
  "operation 9": "whole by operation 9, asked for by its id",
};

export function proofText(proved: string): string {
  return PROOFS[proved] ?? proved;
}

export function detailsText({ ms, attempts }: Pick<EventLogLine, "ms" | "attempts">): string {
  const took = (["metrics", "metadata"] as const).flatMap((kind) =>
    ms[kind] === undefined ? [] : [`${kind} ${ms[kind]} ms`],
  );
  return [...took, ...(attempts === undefined ? [] : [`${attempts} attempts`])].join(", ");
}

export function busText({ outcome, code, batch = 1, ms }: EventLogLine): string {
  const others = batch === 1 ? "alone" : `with ${batch - 1} other${batch === 2 ? "" : "s"}`;
  const verdict = outcome === "published" ? "published" : `${outcome}${code === undefined ? "" : ` (${code})`}`;
  return `${verdict}, ${others}${ms.bus === undefined ? "" : `, in ${ms.bus} ms`}`;
}

const OF_OTHERS: Readonly<Record<string, (code: string) => string>> = {
  bus: (code) => `the bus has not taken its event (${code})`,
  event: (code) => `there is no place for its answers (${code})`,
};

/** The things that a waiting response waits for, by reasons such as "metrics:absent metadata:TIMEOUT". */
export function waitsFor(reason = ""): string {
  const parts = reason
    .split(" ")
    .filter(Boolean)
    .map((one) => {
      const [kind = "", code = ""] = one.split(":");
      const said = OF_OTHERS[kind]?.(code);
      if (said !== undefined) return said;
      return code === "absent" ? `the service has no ${kind} of it yet` : `its ${kind} could not be had (${code})`;
    });
  return parts.length === 0 ? "its reason is not known" : parts.join(", ");
}
