import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readDeployedConfig } from "../../../lib/config/deployed-config.ts";
import { parseConfig } from "../../../lib/config/index.ts";
import { temporaryFolder } from "../../support/command.ts";

const raw = { baseUrl: "https://surveys.example.com" };
const config = parseConfig(raw, { deployed: true });

/** The folder of a bundle that has this file. */
function bundled(file: object): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "config.json"), JSON.stringify(file));
  return folder;
}

describe("the configuration of a deployed function", () => {
  it("is the file of its bundle, else the variable of its template", async () => {
    const folder = bundled({ raw, config });
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
    await expect(readDeployedConfig(variables, bundled(raw))).rejects.toThrow(message);
  });
});
