import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "./support/temporary-folder.ts";

/** Runs the app as `cdk synth` does, which hands over context and folder by the environment. */
function synth(context: Record<string, unknown>, told: NodeJS.ProcessEnv = {}) {
  const outDir = join(temporaryFolder(), "cdk.out");
  const flags = (JSON.parse(readFileSync("cdk.json", "utf8")) as { context: object }).context;
  const CDK_CONTEXT_JSON = JSON.stringify({ ...flags, ...context });
  const env = { ...process.env, CDK_OUTDIR: outDir, CDK_CONTEXT_JSON, ...told };
  return new Promise<{ code: number; stderr: string; outDir: string }>((resolve) => {
    execFile(process.execPath, ["infra/app.ts"], { env }, (error, _stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stderr, outDir });
    });
  });
}

function written(config: unknown): string {
  const file = join(temporaryFolder(), "config.json");
  writeFileSync(file, JSON.stringify(config));
  return file;
}

describe("the app", () => {
  it("without a configuration says where to put one and how to look first", async () => {
    const { code, stderr, outDir } = await synth({ "survey-poller": undefined });
    expect(code).toBe(1);
    expect(stderr).toContain('"survey-poller" in the context of cdk.json');
    expect(stderr).toContain("npx cdk synth -c config=examples/survey-poller.json");
    expect(stderr.trim().split("\n")).toHaveLength(2);
    expect(existsSync(join(outDir, "SurveyPoller.template.json"))).toBe(false);
  });

  it("makes a template of cdk.json as it comes, and warns that its address is only an example", async () => {
    const { code, outDir } = await synth({});
    expect(code).toBe(0);
    const metadata = readFileSync(join(outDir, "SurveyPoller.metadata.json"), "utf8");
    expect(existsSync(join(outDir, "SurveyPoller.template.json"))).toBe(true);
    expect(metadata).toContain("https://surveys.example.com is only an example");
  });

  it("says in a line each what the defaults leave out, and is silent where that was decided", async () => {
    const [plain, decided] = await Promise.all([
      synth({}),
      synth({ config: "examples/survey-poller.json", terminationProtection: false }),
    ]);
    expect(plain.stderr.split("\n").filter((line) => line.startsWith("SurveyPoller: "))).toEqual([
      expect.stringContaining("alarms tell nobody"),
      expect.stringContaining("no timeZone"),
      expect.stringContaining('put "terminationProtection": true into the context of cdk.json'),
    ]);
    expect(decided.code).toBe(0);
    expect(decided.stderr.match(/^SurveyPoller: .*/gm)).toEqual([expect.stringContaining("alarms tell nobody")]);
  });

  it("makes the stack of the name, with the tags and for the region it is told, protected only where that is said: a first deployment that fails can be repeated", async () => {
    const context = { stackName: "Eu", tags: "team=research", terminationProtection: "true" };
    const told = { CDK_DEFAULT_ACCOUNT: "111111111111", CDK_DEFAULT_REGION: "eu-west-1" };
    const [own, usual] = await Promise.all([synth(context, told), synth({}, told)]);
    const stackIn = ({ outDir }: typeof own, name: string) =>
      JSON.parse(readFileSync(join(outDir, "manifest.json"), "utf8")).artifacts[name];
    expect(stackIn(own, "Eu")).toMatchObject({
      environment: "aws://111111111111/eu-west-1",
      properties: { tags: { team: "research" }, terminationProtection: true },
    });
    expect(stackIn(usual, "SurveyPoller").properties.terminationProtection ?? false).toBe(false);
  });

  it("names every bad field of the context key, without a stack trace", async () => {
    const { code, stderr } = await synth({ "survey-poller": { baseUrl: "ftp://x", intervall: "1m", interval: "25s" } });
    expect(code).toBe(1);
    for (const path of ["baseUrl: ", "intervall: ", "interval: "]) expect(stderr).toContain(path);
    expect(stderr).not.toContain("    at ");
  });

  it.each<[string, string, () => Record<string, unknown>]>([
    [
      "takes the file before the context key",
      "sources: must hold at least one source",
      () => ({ config: written({ sources: [] }), "survey-poller": { baseUrl: "ftp://x" } }),
    ],
    ["names a file that is not there", "nowhere.json does not exist", () => ({ config: "nowhere.json" })],
  ])("%s", async (_what, said, context) => {
    const { code, stderr } = await synth(context());
    expect(code).toBe(1);
    expect(stderr).toContain(said);
    expect(stderr).not.toContain("baseUrl");
  });
});
