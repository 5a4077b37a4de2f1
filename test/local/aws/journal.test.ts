import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openJournal } from "../../../local/aws/event-bridge/journal.ts";
import { scratchFolder } from "./support.ts";

const delivery = (id: string, body = `body of ${id}`) => ({ id, queueArn: "arn:aws:sqs:us-east-1:0:queue", body });

test("what is not done is pending for the next one who opens the journal, in order", () => {
  const file = join(scratchFolder(), "journal");
  const first = openJournal(file);
  first.add([delivery("b"), delivery("a")]);
  first.add([delivery("c")]);
  first.done("a");
  // Not closed, as after a kill -9.
  expect(openJournal(file).pending()).toEqual([delivery("b"), delivery("c")]);
});

test("finished deliveries do not pile up in the file", () => {
  const file = join(scratchFolder(), "journal");
  const journal = openJournal(file);
  for (let round = 0; round < 200; round++) {
    journal.add([delivery(`${round}`, "x".repeat(10_000))]);
    journal.done(`${round}`);
  }
  journal.close();
  expect(statSync(file).size).toBeLessThan(100_000);
});
