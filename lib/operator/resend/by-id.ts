import { errorCode } from "../../errors.ts";
import { isTrusted, mayAnswer } from "../../polling/contents/operation9.ts";
import { endsWork } from "../../polling/errors.ts";
import { readRecord } from "../../polling/model/records.ts";
import { type EmittedEntry, type ReadAgain, type Resending, type Resent, resent } from "./resending.ts";
import { sendSame } from "./send.ts";

/** Responses asked for at once. */
const AT_ONCE = 20;

/** Whether operation 9 tells of a response all that pages do: only then the digest of what it gives is that of an unchanged response. */
export function canAskById({ mark, ports }: Resending): boolean {
  const { full, suspects } = mark.contents;
  return isTrusted(mark) && full === true && suspects === undefined && mayAnswer(mark, ports.clock.now());
}

/** Reads responses one by one by operation 9 and sends them, as far as the time goes. */
export async function resendById(
  ctx: Resending,
  entries: readonly EmittedEntry[],
): Promise<{ results: Resent[]; left: number[] }> {
  const results: Resent[] = [];
  const rest = [...entries];
  do {
    const some = await Promise.all(rest.splice(0, AT_ONCE).map((entry) => read(ctx, entry)));
    const found = some.filter((one): one is ReadAgain => "run" in one);
    results.push(...some.filter((one): one is Resent => "outcome" in one), ...(await sendSame(ctx, found)));
  } while (rest.length > 0 && ctx.ports.clock.now() < ctx.until);
  return { results, left: rest.map(({ id }) => id) };
}

async function read({ ports, surveyId }: Resending, entry: EmittedEntry): Promise<ReadAgain | Resent> {
  try {
    const answer = await ports.service.response(surveyId, entry.id);
    if (answer.kind === "absent" || answer.body.length === 0) return resent(entry, "gone");
    const run = { responseId: entry.id, records: answer.body.map((record) => readRecord(record)) };
    return { entry, run, isWhole: true };
  } catch (error) {
    if (endsWork(error)) throw error;
    return resent(entry, "failed", errorCode(error));
  }
}
