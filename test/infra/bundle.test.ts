import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { bundleEntry, bundleFunction } from "../../infra/bundle.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

// Every other file of the folder has a stand-in for the bundler.
vi.unmock("../../infra/bundle.ts");

const standIn = resolve("test/infra/fixtures/stand-in.ts");
const config = { name: "second", baseUrl: "https://surveys.example.com" };

/** Invokes the bundle as Lambda would: a file, loaded by the pinned Node, with nothing of this project near it. */
async function invoke(folder: string, event: unknown): Promise<{ result?: unknown; stack?: string }> {
  const runner = join(folder, "runner.mjs");
  writeFileSync(
    runner,
    `import { handler } from "./index.mjs";
    const answer = await handler(${JSON.stringify(event)}).then((result) => ({ result }), ({ stack }) => ({ stack }));
    process.stdout.write(JSON.stringify(answer));`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, ["--enable-source-maps", runner], { cwd: folder });
  return JSON.parse(stdout);
}

describe("a bundle", () => {
  it("runs from its own folder, with undici and the configuration beside it", async () => {
    expect(process.version).toMatch(/^v24\./);
    const folder = temporaryFolder();
    bundleEntry(standIn, folder, config);
    await using server = createServer((_request, response) => response.writeHead(204).end()).listen(0, "127.0.0.1");
    await new Promise((listening) => server.once("listening", listening));
    const { port } = server.address() as AddressInfo;

    const { result, stack } = await invoke(folder, { url: `http://127.0.0.1:${port}/` });

    expect(stack).toBeUndefined();
    expect(result).toEqual({ status: 204, source: "second" });
  });

  it("shows the lines of the sources in its stack traces", async () => {
    const folder = temporaryFolder();
    bundleEntry(standIn, folder, config);
    const line =
      readFileSync(standIn, "utf8")
        .split("\n")
        .findIndex((text) => text.includes("no url")) + 1;
    const { stack } = await invoke(folder, {});
    expect(stack).toContain(`stand-in.ts:${line}:`);
  });

  it("has the same bytes in whatever folder it is made, and no path of this machine", () => {
    const folders = [temporaryFolder(), temporaryFolder()];
    for (const folder of folders) bundleEntry(standIn, folder, config);
    const contents = folders.map((folder) =>
      readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")] as const),
    );
    expect(contents[0]).toEqual(contents[1]);
    expect(contents[0]?.map(([name]) => name).sort()).toEqual(["config.json", "index.mjs", "index.mjs.map"]);
    for (const [, text] of contents[0] ?? []) expect(text).not.toContain(resolve("."));
  });

  it("says how large its module is, and writes no configuration that it was not given", () => {
    const folder = temporaryFolder();
    const { file, bytes } = bundleEntry(standIn, folder);
    expect(file).toBe(join(folder, "index.mjs"));
    expect(readFileSync(file).byteLength).toBe(bytes);
    expect(readdirSync(folder)).not.toContain("config.json");
  });

  it("of the configuration alone leaves zod's translations out: they are two thirds of it, and start-up time", () => {
    expect(bundleEntry(resolve("lib/config/index.ts"), temporaryFolder()).bytes).toBeLessThan(150_000);
  });

  it("of a function that does not exist is refused by its name", () => {
    expect(() => bundleEntry(resolve("functions/none.ts"), temporaryFolder())).toThrow(/There is no none\.ts/);
  });
});

/** Size of the modules that a module imports at its start, itself among them. */
function bytesAtStart(folder: string, name = "index.mjs", seen = new Set<string>()): number {
  if (seen.has(name)) return 0;
  seen.add(name);
  const text = readFileSync(join(folder, name), "utf8");
  const imported = [...text.matchAll(/(?:from|import)"\.\/([^"]+\.mjs)"/g)].map(([, other = ""]) => other);
  return imported.reduce((sum, other) => sum + bytesAtStart(folder, other, seen), Buffer.byteLength(text));
}

describe("the scheduled function", () => {
  it("bundles to under 2 MB and exports a handler", () => {
    const folder = temporaryFolder();
    const { file, bytes } = bundleFunction("poll", folder, config);
    expect(bytes).toBeLessThan(2_000_000);
    expect(readFileSync(file, "utf8")).toMatch(/export\{[^}]*\bhandler\b[^}]*\}/);
  });

  it("loads what an operator asks for, and the client of S3, only when it is needed", () => {
    const folder = temporaryFolder();
    const { bytes } = bundleFunction("poll", folder, config);
    const names = readdirSync(folder).filter((name) => name.endsWith(".mjs"));
    const later = names.filter((name) => /^(operations|s3)-/.test(name));
    expect(later).toHaveLength(2);
    const sizes = later.map((name) => readFileSync(join(folder, name)).byteLength);
    expect(bytesAtStart(folder)).toBeLessThanOrEqual(bytes - sizes.reduce((sum, size) => sum + size, 0));
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
