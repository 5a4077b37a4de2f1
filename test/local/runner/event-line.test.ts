import { readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import type { EventEnvelope } from "../../../local/aws/index.ts";
import { eventLine } from "../../../local/runner/event-line.ts";
import { showProgress } from "../../../local/runner/progress.ts";

const golden = (name: string): EventEnvelope =>
  JSON.parse(readFileSync(`contract/golden/${name}.json`, "utf8")) as EventEnvelope;
const now = Date.parse("2026-03-10T11:58:21.250Z");
const time = new Date(now).toLocaleTimeString("en-GB");

it.each([
  ["detractor", `${time}  After a visit           NPS 2 detractor   lag 1.3 s    response 46375`],
  ["updated", /^\S+ {2}After a visit +updated/],
  ["books-closed", /^\S+ {2}\S.* books closed$/],
])("an event is one readable line: %s", (name, line) => {
  const said = eventLine(golden(name), now);
  if (typeof line === "string") expect(said).toBe(line);
  else expect(said).toMatch(line);
});

it("on a terminal each event has a line, of a flood the first and how many more; in a pipe there is none", async () => {
  for (const isTTY of [true, false]) {
    const out = Object.assign(new PassThrough(), { isTTY }) as unknown as NodeJS.WriteStream;
    const view = showProgress(out);
    onTestFinished(() => view.stop());
    for (let i = 0; i < 50; i += 1) view.event(golden("detractor"));
    let text = "";
    const read = (): string => {
      text += String(out.read() ?? "");
      return text;
    };
    read();
    if (isTTY) await expect.poll(read).toContain("… and");
    expect(text.match(/response 46375/g)?.length ?? 0).toBe(isTTY ? 10 : 0);
    expect(text.includes("… and 40 more events")).toBe(isTTY);
  }
});
