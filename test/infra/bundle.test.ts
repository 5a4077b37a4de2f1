import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { bundleEntry, bundleFunction } from "../../infra/bundle.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

// Every other file of the folder has a stand-in for the bundler.
vi.unmock("../../infra/bundle.ts");

const config = { name: "second", baseUrl: "https://surveys.example.com" };

describe("a bundle", () => {
  it("shows the lines of the sources in its stack traces", () => {
    const folder = temporaryFolder();
    bundleFunction("poll", folder, config);
    // Without what the stack would tell it, it ends as it is loaded.
    const load = 'import("./index.mjs").catch(({ stack }) => console.log(stack))';
    const args = ["--enable-source-maps", "-e", load];
    const stack = execFileSync(process.execPath, args, { cwd: folder, env: {}, encoding: "utf8" });
    expect(stack).toMatch(/lib\/run\/environment\.ts:\d+:/);
  });

  it("has the same bytes in whatever folder it is made, and no path of this machine", () => {
    const contents = [temporaryFolder(), temporaryFolder()].map((folder) => {
      bundleFunction("forward", folder, config);
      return readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")] as const);
    });
    expect(contents[0]).toEqual(contents[1]);
    expect(contents[0]?.map(([name]) => name)).toEqual(expect.arrayContaining(["config.json", "index.mjs"]));
    for (const [, text] of contents[0] ?? []) expect(text).not.toContain(resolve("."));
  });

  it("of the configuration alone leaves zod's translations out: they are two thirds of it, and start-up time", () => {
    expect(bundleEntry(resolve("lib/config/index.ts"), temporaryFolder()).bytes).toBeLessThan(150_000);
  });
});

/** The modules of a bundle that are loaded at its start. */
function loadedAtStart(folder: string, name = "index.mjs", seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  const text = readFileSync(join(folder, name), "utf8");
  for (const [, other = ""] of text.matchAll(/(?:from|import)"\.\/([^"]+\.mjs)"/g)) loadedAtStart(folder, other, seen);
  return seen;
}

describe("the scheduled function", () => {
  it("bundles to under 2 MB and exports a handler", () => {
    const folder = temporaryFolder();
    const { file, bytes } = bundleFunction("poll", folder, config);
    expect(bytes).toBeLessThan(2_000_000);
    expect(readFileSync(file, "utf8")).toMatch(/export\{[^}]*\bhandler\b[^}]*\}/);
  });

  it("loads schemas, what an operator asks for, and the client of S3 only when they are needed", () => {
    const folder = temporaryFolder();
    bundleFunction("poll", folder, config);
    const loaded = [...loadedAtStart(folder)];
    const later = readdirSync(folder).filter((name) => /^(operations|s3)-.*\.mjs$/.test(name));
    expect(later).toHaveLength(2);
    expect(loaded).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(run-operation|s3)-/)]));
    const sources = loaded.flatMap(
      (name): string[] => JSON.parse(readFileSync(join(folder, `${name}.map`), "utf8")).sources,
    );
    expect(sources).toContainEqual(expect.stringContaining("/undici/"));
    expect(sources.filter((source) => /\/zod\/|lib\/config\/schema/.test(source))).toEqual([]);
  });

  it("leaves nothing behind of an earlier bundle in its folder: the same sources are the same package", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "chunk-OF-BEFORE.mjs"), "");
    bundleFunction("poll", folder, config);
    expect(readdirSync(folder)).not.toContain("chunk-OF-BEFORE.mjs");
  });
});

describe("the forwarder of a webhook", () => {
  it("bundles to under 1 MB, with nothing of the polling, and exports a handler", () => {
    const { file, bytes } = bundleFunction("forward", temporaryFolder(), config);
    expect(bytes).toBeLessThan(1_000_000);
    const text = readFileSync(file, "utf8");
    expect(text).toMatch(/export\{[^}]*\bhandler\b[^}]*\}/);
    for (const other of ["DynamoDB_20120810", "AWSEvents"])
      expect([other, text.includes(other)]).toEqual([other, false]);
  });
});
