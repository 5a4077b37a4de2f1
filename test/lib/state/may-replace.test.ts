import { randomInt } from "node:crypto";
import { expect, it } from "vitest";
import { FORGOTTEN, type LedgerEntry, WITHOUT_RECORDS } from "../../../lib/polling/index.ts";
import { createDynamoState } from "../../../lib/state/dynamo-state.ts";
import { mayReplace } from "../../support/state-store.ts";
import { useAws } from "../support/aws.ts";

const test = useAws();

type Kind = Omit<LedgerEntry, "id" | "digest">;
const kinds: Kind[] = [
  { state: "emitted" },
  { state: "emitted", attempts: 1 },
  { state: "emitted", refusedRevision: "Odd" },
  { state: "emitted", gone: { since: 1 } },
  ...[1, 2, 3].map((revision): Kind => ({ state: "emitted", revision })),
  { state: "emitted", revision: 2, attempts: 1 },
  { state: "before-start" },
  { state: "before-start", reason: FORGOTTEN },
  { state: "emitted", revision: 1, reason: FORGOTTEN },
  { state: "emitted", revision: 1, reason: FORGOTTEN, gone: { since: 1 } },
  { state: "open", firstSeen: 1 },
  { state: "open", reason: WITHOUT_RECORDS },
  { state: "held", attempts: 1, firstSeen: 1, nextCheck: 1, reason: "unproved" },
  { state: "waiting", kept: { a: 1 }, nextCheck: 1 },
  { state: "quarantined", reason: "unreadable", kept: { a: 1 } },
  { state: "refused", reason: "Malformed", kept: { a: 1 } },
];

// R14
it("the table takes an entry in the place of another one where the ports in memory do, and nowhere else", async () => {
  const state = createDynamoState({ client: test.clients.dynamodb, name: test.table }, "main");
  const outcomes = await Promise.all(
    [undefined, ...kinds].map(async (known) => {
      const surveyId = randomInt(1, 2 ** 47);
      const standing = kinds.flatMap((_, id): LedgerEntry[] => (known ? [{ ...known, id, digest: "known" }] : []));
      await state.putEntries(surveyId, standing);
      await state.putEntries(
        surveyId,
        kinds.map((kind, id) => ({ ...kind, id, digest: "entry" })),
      );
      const stands = await state.entries(surveyId, [...kinds.keys()]);
      return kinds.map((entry, id) => ({ known, entry, stands: stands.get(id)?.digest }));
    }),
  );

  const expected = [undefined, ...kinds].map((known) =>
    kinds.map((entry) => {
      const replaces = mayReplace(known && { ...known, id: 1 }, { ...entry, id: 1 });
      return { known, entry, stands: replaces ? "entry" : "known" };
    }),
  );
  expect(outcomes).toEqual(expected);
  expect(new Set(outcomes.flat().map(({ stands }) => stands))).toEqual(new Set(["known", "entry"]));
});
