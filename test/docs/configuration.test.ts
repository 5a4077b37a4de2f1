import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { configurationFields, configurationTables, withTables } from "../../codegen/configuration.ts";
import { parseConfig } from "../../lib/config/index.ts";

const page = readFileSync("docs/configuration.md", "utf8");
const tables = configurationTables();

describe("the tables of the configuration", () => {
  it("in docs/configuration.md are as npm run docs writes them", () => {
    expect(page).toBe(withTables(page, tables));
  });

  it("stand in docs/configuration.md all of them", () => {
    const markers = [...page.matchAll(/<!-- generated: ([\w ]+) -->/g)].map(([, name]) => name ?? "");
    expect(markers.sort()).toEqual([...tables.keys()].sort());
  });

  it("name every field of a parsed configuration", () => {
    const parsed = parseConfig(
      {
        sources: [{ baseUrl: "https://surveys.example.com" }],
        webhooks: [{ name: "a", url: "https://a.example.com" }],
      },
      { deployed: true },
    );
    const named = configurationFields().map(({ path }) => path.split(/[.[]/)[0]);
    const { sources, stated, ...rest } = parsed;
    for (const field of [...Object.keys(sources[0] ?? {}), ...Object.keys(rest)]) expect(named).toContain(field);
  });

  it("have the defaults that a configuration gets", () => {
    const defaults = Object.fromEntries(configurationFields().map((field) => [field.path, field.default]));
    expect(defaults.interval).toBe('`"1m"`');
    expect(defaults["webhooks[].retry.maxAge"]).toBe('`"1d"`');
    expect(defaults.baseUrl).toBe("required");
    expect(defaults.timeZone).toBe("none");
  });
});
