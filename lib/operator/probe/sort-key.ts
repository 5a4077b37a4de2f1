import { isApart, type Page, type Run } from "./listed.ts";
import { type Finding, notSeen } from "./report.ts";

const KEYS = ["responseId", "dateStart", "dateCompleted"] as const;
type Key = (typeof KEYS)[number];

/** Responses that stand in some order by chance alone are fewer. */
const LEAST = 6;

/** The first pages of both orders. */
export interface Ends {
  asc: Page;
  desc: Page;
}

/** Operation 8: by what the list is sorted, and whether it does as it is asked. */
export function sortFindings({ asc, desc }: Ends): Finding[] {
  const together = togetherFinding([asc, desc]);
  if (isApart(asc) || isApart(desc)) {
    const why = "the records of a response stand apart";
    return [together, notSeen("sort key", why), notSeen("order", why)];
  }
  const order = orderOf(asc, desc);
  return [together, keyFinding(asc, desc, order), orderFinding(order)];
}

function togetherFinding(pages: readonly Page[]): Finding {
  const question = "records together";
  if (pages.some(isApart)) {
    const says = "the records of a response stand apart: contents come from operation 9, or are held";
    return { question, found: "no", says };
  }
  const several = pages.some(({ runs }) => runs.length > 1 && runs.some(({ records }) => records > 1));
  return several
    ? { question, found: "yes", says: "the records of a response stand together on the pages that were read" }
    : notSeen(question, "no response with several records beside another one");
}

type Order = "obeyed" | "turned" | "ignored" | undefined;

/** Undefined where nothing tells. */
function orderOf(asc: Page, desc: Page): Order {
  if (idsOf([...asc.runs, ...desc.runs]).size < LEAST) return undefined;
  if (asc.print === desc.print) return "ignored";
  const upwards = KEYS.filter((key) => judge(key, [asc.runs, desc.runs.toReversed()]) === "sorted");
  const downwards = KEYS.filter((key) => judge(key, [asc.runs.toReversed(), desc.runs]) === "sorted");
  if (upwards.length > 0) return "obeyed";
  return downwards.length > 0 ? "turned" : undefined;
}

function keyFinding(asc: Page, desc: Page, order: Order): Finding {
  const question = "sort key";
  const count = idsOf([...asc.runs, ...desc.runs]).size;
  if (count < LEAST) return notSeen(question, `${count} responses are too few`);
  const [up, down] = order === "turned" ? [desc, asc] : [asc, desc];
  const lists = order === "ignored" ? [up.runs] : [up.runs, down.runs.toReversed()];
  const keysThatAre = (what: Judgement): Key[] => KEYS.filter((key) => judge(key, lists) === what);
  const [sorted, unknown] = [keysThatAre("sorted"), keysThatAre("too few")];
  const [one, ...others] = [...sorted, ...unknown];
  const sample = `the ${count} responses on the first pages of both orders`;
  if (one === undefined) {
    const says = `${sample} are sorted neither by responseId nor by dateStart or dateCompleted; no step needs it`;
    return { question, found: "other", says };
  }
  if (sorted.length === 0) return notSeen(question, `${sample} have too few dates`);
  if (others.length === 0) return { question, found: one, says: `${sample} are sorted by ${one}, and by nothing else` };
  return notSeen(question, `${sample} are sorted by ${[one, ...others].join(" and by ")} alike`);
}

function orderFinding(order: Order): Finding {
  const question = "order";
  switch (order) {
    case undefined:
      return notSeen(question, "nothing tells the one end of the list from the other");
    case "obeyed":
      return { question, found: "obeyed", says: "asc begins with the oldest, desc with the newest" };
    case "turned":
      return { question, found: "turned", says: "asc begins with the newest, desc with the oldest" };
    case "ignored":
      return { question, found: "ignored", says: "asc and desc begin with the same page" };
  }
}

/** Operation 6 against the first pages of operation 8. */
export function withoutOrderFinding(page: Page, { asc, desc }: Ends): Finding {
  const question = "order without one";
  if (asc.print === desc.print) return notSeen(question, "asc and desc begin with the same page");
  if (page.print === asc.print)
    return { question, found: "asc", says: "a list asked for without an order is that of asc" };
  if (page.print === desc.print)
    return { question, found: "desc", says: "a list asked for without an order is that of desc" };
  return { question, found: "other", says: "a list asked for without an order begins as neither asc nor desc" };
}

const idsOf = (runs: readonly Run[]): Set<number> => new Set(runs.map(({ responseId }) => responseId));

type Judgement = "sorted" | "unsorted" | "too few";

/** Whether these parts of a list go upwards by a key. Open responses have no date of completion. */
function judge(key: Key, parts: readonly (readonly Run[])[]): Judgement {
  const values = parts.map((runs) => runs.flatMap((run) => run[key] ?? []));
  const steps = values.flatMap((part) => part.slice(1).map((value, i) => compare(part[i] ?? value, value)));
  if (steps.some((step) => step > 0)) return "unsorted";
  return new Set(values.flat()).size < LEAST ? "too few" : "sorted";
}

const compare = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0);
