import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readDeployedConfig } from "../../../lib/config/deployed-config.ts";
import { parseConfig } from "../../../lib/config/index.ts";

const folder = mkdtempSync(join(tmpdir(), "survey-poller-config-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const raw = { baseUrl: "https://surveys.example.com" };
const config = parseConfig(raw, { deployed: true });

function bundled(file: object): void {
  writeFileSync(join(folder, "config.json"), JSON.stringify(file));
}

describe("the configuration of a deployed function", () => {
  it("is the file of its bundle, else the variable of its template", async () => {
    bundled({ raw, config });
    expect(await readDeployedConfig({}, folder)).toEqual({ raw, config });
    const other = { events: {}, sources: [{ ...raw, questions: "labels" }] };
    const said = { CONFIG: JSON.stringify({ sources: [raw] }), MORE_CONFIG: '{"questions":"labels"}' };
    const read = await readDeployedConfig(said, folder);
    expect(read).toEqual({ raw: other, config: parseConfig(other, { deployed: true }) });
  });

  it.each([
    ["a file of another version", {}, /config\.json is not of this version/],
    ["a wrong field", { CONFIG: '{"sources":[{"baseUrl":"ftp://x"}]}' }, /baseUrl/],
  ])("is refused: %s", async (_what, variables, message) => {
    bundled(raw);
    await expect(readDeployedConfig(variables, folder)).rejects.toThrow(message);
  });
});
