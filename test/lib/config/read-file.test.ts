import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigError, readConfigFile } from "../../../lib/config/index.ts";
import { temporaryFolder } from "../../support/command.ts";

function written(text: string): string {
  const file = join(temporaryFolder(), "config.json");
  writeFileSync(file, text);
  return file;
}

describe("readConfigFile", () => {
  it("reads JSON as it is, also behind a byte order mark", () => {
    expect(readConfigFile(written('{ "baseUrl": 5 }'))).toEqual({ baseUrl: 5 });
    expect(readConfigFile(written('\uFEFF{ "baseUrl": 5 }'))).toEqual({ baseUrl: 5 });
  });

  it("names a file that is not there", () => {
    expect(() => readConfigFile(join(temporaryFolder(), "missing.json"))).toThrow(/missing\.json does not exist/);
  });

  it("names what cannot be read as a file", () => {
    expect(() => readConfigFile(temporaryFolder())).toThrow(/cannot be read \(EISDIR\)/);
  });

  it("never repeats the content of a file that is not JSON", () => {
    const file = written('{ "clientSecret": "hunter2", }');
    expect(() => readConfigFile(file)).toThrow(ConfigError);
    expect(() => readConfigFile(file)).toThrow(/^(?!.*hunter2).*config\.json is not valid JSON/);
  });
});
