import { FORGOTTEN, type LedgerEntry, type PersonKey, personKeys, takeOut } from "../../../polling/index.ts";
import { type PersonHash, readPersonHash } from "../../../run/person-hash.ts";
import { readMark } from "../../../state/leases.ts";
import { personEntries } from "../../../state/ledger.ts";
import { InterruptedError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { askingAws } from "../../target/aws-failure.ts";
import type { Flags } from "../../target/open-target.ts";
import { entriesOf, type FoundResponse, fromTable, ledgersOf } from "../../target/surveys.ts";
import type { Target } from "../../target/target.ts";

/** The key under which the inviter knows somebody. It is personal: it goes into no message. */
export interface Person {
  kind: PersonKey;
  value: string;
}

/** The responses of a person, and how many of a source cannot be searched. */
export interface FoundPerson {
  responses: FoundResponse[];
  /** By source: responses that went out while the ledger kept no hash of that kind of key. */
  unsearched: { source: string; responses: number }[];
}

/** Looks in the ledgers of all surveys, or of the one that is named: for the hash of the key, and for the key itself in what is kept. */
export async function findPerson(
  target: Target,
  person: Person,
  flags: Pick<Flags, "source" | "survey">,
  { signal }: Pick<Io, "signal">,
): Promise<FoundPerson> {
  const found: FoundPerson = { responses: [], unsearched: [] };
  const surveys = Object.groupBy(await ledgersOf(target, flags), ({ source }) => source);
  for (const [source, own = []] of Object.entries(surveys)) {
    const hash = await askingAws("the bucket could not be read", () => readPersonHash(target.bucket, source));
    let unknown = 0;
    for (const survey of own) {
      const mark = await fromTable(() => readMark(target.table, source, survey.surveyId));
      const of = { ...survey, name: mark.survey?.facts.name ?? null, mark };
      const ids = new Map<LedgerEntry["id"], LedgerEntry | undefined>();
      const meet = async (one: LedgerEntry, entry?: LedgerEntry): Promise<void> => {
        if (await isOf(target, one, person, hash)) ids.set(one.id, entry);
        else if (isUnsearchable(one, person)) unknown += 1;
      };
      for (const one of mark.pending ?? []) await meet(one);
      const read = personEntries(person.kind, hash?.(person.kind, person.value));
      for await (const entries of entriesOf(target, survey, read)) {
        if (signal.aborted) throw new InterruptedError();
        for (const entry of entries) await meet(entry, entry);
      }
      found.responses.push(...[...ids].map(([id, entry]) => ({ ...of, id, entry })));
    }
    if (unknown > 0) found.unsearched.push({ source, responses: unknown });
  }
  return found;
}

async function isOf(
  target: Target,
  entry: LedgerEntry,
  { kind, value }: Person,
  hash: PersonHash | undefined,
): Promise<boolean> {
  if (hash !== undefined && entry.person?.[kind]?.includes(hash(kind, value)) === true) return true;
  if (entry.kept === undefined && entry.keptKey === undefined) return false;
  const kept = await askingAws("the bucket could not be read", () =>
    takeOut({ ports: { vault: target.bucket } }, entry),
  );
  return kept !== undefined && personKeys(kept.records, kept.details.metadata)[kind]?.includes(value) === true;
}

/** Whether it went out, and nobody can say any more of whom it is. */
function isUnsearchable({ state, reason, person }: LedgerEntry, { kind }: Person): boolean {
  return state === "emitted" && reason !== FORGOTTEN && person?.[kind] === undefined;
}
