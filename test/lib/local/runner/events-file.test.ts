import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { EventsFileError, openEventsFile } from "../../../../lib/local/runner/events-file.ts";
import { temporaryFolder } from "../../../support/command.ts";

const event = (id: string): string => JSON.stringify({ version: "0", id, detail: { comment: "é".repeat(40_000) } });

function fileWith(text: string): string {
  const file = join(temporaryFolder(), "events.jsonl");
  writeFileSync(file, text);
  return file;
}

it.each([
  ["whole lines stay", `${event("1")}\n`, ["1"]],
  ["a last line that lacks nothing but its newline stays", `${event("1")}\n${event("2")}`, ["1", "2"]],
  ["the only line as well", event("1"), ["1"]],
  ["a torn line goes", `${event("1")}\n${event("2").slice(0, 30_000)}`, ["1"]],
  ["the only line that is torn as well", event("1").slice(0, 9), []],
])("%s, and the next event is a line of its own", (_what, text, kept) => {
  const file = fileWith(text);

  const events = openEventsFile(file);
  events.append(event("next"));
  events.close();

  const lines = readFileSync(file, "utf8").split("\n");
  expect(lines.pop()).toBe("");
  expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual([...kept, "next"]);
});

it.each([
  ["settings", '{\n  "editor.fontSize": 14\n}\n'],
  ["one line of JSON", '{"baseUrl":"https://surveys.example.com"}'],
  ["a text without a line end", "dear diary"],
])("a file of somebody else's is refused and stays as it is: %s", (_what, text) => {
  const file = fileWith(text);

  expect(() => openEventsFile(file)).toThrow(/holds something else than events/);
  expect(readFileSync(file, "utf8")).toBe(text);
});

it.runIf(existsSync("/dev/full"))(
  "a file that takes no more is named with the cause, and takes nothing after it",
  () => {
    const events = openEventsFile("/dev/full");

    for (const id of ["1", "2"]) {
      expect(() => events.append(event(id))).toThrow(EventsFileError);
      expect(() => events.append(event(id))).toThrow("the events file /dev/full takes no more events (ENOSPC)");
    }
    events.close();
  },
);
