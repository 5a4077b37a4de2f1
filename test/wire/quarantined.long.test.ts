import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compareWithTruth } from "./support/compare-with-truth.ts";
import { polledService } from "./support/polled-service.ts";

test("what cannot be read is quarantined and said so; everything beside it goes out", async () => {
  const service = await polledService({ surveys: [{ surveyId: 1, responses: 30 }] });
  const { simulator } = service;
  const unreadable = ["maybe", null, 2].flatMap((completed) => simulator.complete(1, 1, { patch: { completed } }));
  const nameless = simulator.complete(1, 1, { records: 2, patch: { responseId: "none" } });
  simulator.complete(1, 30);
  const bad = new Set([...unreadable, ...nameless]);
  const truth = simulator.truth().filter(({ responseId }) => !bad.has(responseId));

  const { events, stdout } = await service.poll({ "start-from": "beginning" });

  expect(compareWithTruth(events, truth)).toEqual([]);
  for (const id of unreadable) {
    expect(stdout).toContain(`survey 1: response ${id} is quarantined: unreadable completed\n`);
  }
  expect(stdout.match(/^survey 1: a record is quarantined: unreadable responseId$/gm)).toHaveLength(2);
  expect(stdout).toMatch(/^done: .* 60 events, .* 5 withheld$/m);
  expect(stdout).toMatch(/books: closed at .*\(63 listed = 60 emitted .* \+ 3 quarantined\b/m);

  const before = readFileSync(`${service.folder}/events.jsonl`);
  const again = await service.poll({ "start-from": "beginning" });
  expect(readFileSync(`${service.folder}/events.jsonl`)).toEqual(before);
  expect(again.stdout).toMatch(/^done: .* 0 events,/m);
});
