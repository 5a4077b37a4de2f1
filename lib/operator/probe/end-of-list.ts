import { FULL, type Page } from "./listed.ts";
import { type Finding, notSeen } from "./report.ts";

/** One read of a page: what it holds, or what was answered in its place. */
export type PageAnswer = { kind: "page"; page: Page } | { kind: "none"; answer: string };

/** Pages that are read to find the end, after the first one. */
const MOST_READS = 10;

export interface End {
  finding: Finding;
  /** Whether page 1 is all of it. */
  isOnePage: boolean;
}

/**
 * The answer of a page past the last one. The pages are doubled until one is past it, or not full. So a list of a thousand pages takes ten
 * reads.
 *
 * @param read operation 8 in one order
 */
export async function findEnd(first: Page, read: (page: number) => Promise<PageAnswer>): Promise<End> {
  const question = "past the end";
  let before = first;
  let [number, isShort] = [1, first.records < FULL];
  const isOnePage = isShort;
  for (let reads = 0; reads < MOST_READS; reads += 1) {
    number = isShort ? number + 1 : number * 2;
    const answer = await read(number);
    const found = (word: string, says: string): End => ({ finding: { question, found: word, says }, isOnePage });
    if (answer.kind === "none") return found(answer.answer, `page ${number}, which is past the end: ${answer.answer}`);
    const { page } = answer;
    if (page.print === first.print && (isOnePage || number === 2)) {
      // Of a full first page this would be a list of one page, or the first one again.
      return found(isOnePage ? "only page again" : "first page again", `page ${number} is the first page again`);
    }
    if (page.print === first.print) return found("first page again", `page ${number} is the first page again`);
    if (page.print === before.print) return found("last page again", `page ${number} is the last page again`);
    before = page;
    isShort = page.records < FULL;
  }
  return { finding: notSeen(question, "the list has more pages than were looked at"), isOnePage };
}
