import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCdk, ROOT } from "../support/cdk.ts";
import { startEmulator } from "../support/emulator.ts";
import { succeed } from "../support/processes.ts";
import type { Given } from "../support/stage.ts";

/** `npm run smoke`, as far as an emulator shows anything. */
export async function smoke({ report, installing, folder }: Given): Promise<void> {
  const place = join(folder, "smoke");
  mkdirSync(place);
  await installing;
  const emulator = await startEmulator(place);
  const config = join(place, "config.json");
  writeFileSync(config, JSON.stringify({ baseUrl: "https://surveys.example.com" }));
  try {
    await report.step("the account is bootstrapped", () =>
      createCdk(emulator, place).run("bootstrap", "-c", `config=${config}`),
    );
    await report.step("npm run smoke", async (note) => {
      const options = { cwd: ROOT, env: emulator.env, limit: 480_000 };
      const { stdout } = await succeed(process.execPath, ["test/smoke/main.ts"], options);
      for (const line of stdout.trim().split("\n")) note(line);
    });
  } finally {
    await emulator.stop();
  }
}
