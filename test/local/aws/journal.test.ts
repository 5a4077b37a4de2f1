import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Delivery, openJournal } from "../../../local/aws/event-bridge/journal.ts";
import { scratchFolder } from "./support.ts";

function delivery(id: string): Delivery {
  return { id, queueArn: "arn:aws:sqs:us-east-1:000000000000:queue", body: `body of ${id}` };
}

const ids = (deliveries: readonly Delivery[]) => deliveries.map(({ id }) => id);

test("what is not done is pending for the next one who opens the journal, in order", () => {
  const file = join(scratchFolder(), "journal");
  const first = openJournal(file);
  first.add([delivery("a"), delivery("b")]);
  first.add([delivery("c")]);
  first.done("b");

  const second = openJournal(file);

  expect(second.pending()).toEqual([delivery("a"), delivery("c")]);
});

test("a last line that a crash has torn is dropped", () => {
  const file = join(scratchFolder(), "journal");
  openJournal(file).add([delivery("a")]);
  appendFileSync(file, '{"put":{"id":"b","queueA');
  const second = openJournal(file);
  expect(ids(second.pending())).toEqual(["a"]);
  second.add([delivery("c")]);
  expect(ids(openJournal(file).pending())).toEqual(["a", "c"]);
});

test("finished deliveries do not pile up in the file", () => {
  const file = join(scratchFolder(), "journal");
  const journal = openJournal(file, 2000);
  journal.add([delivery("stays")]);
  let longest = 0;
  for (let round = 0; round < 200; round++) {
    journal.add([delivery(`d${round}`)]);
    journal.done(`d${round}`);
    longest = Math.max(longest, readFileSync(file, "utf8").length);
  }
  expect(longest).toBeLessThan(3000);
  expect(ids(openJournal(file).pending())).toEqual(["stays"]);
});
