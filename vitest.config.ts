import { globSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

const tests = globSync("test/**/*.test.ts", { exclude: ["test/**/*.long.test.ts"] });

/** Replaces a module, the clock, the environment or an output for all that runs in the same process. */
const replaces = /\bvi\.(mock|stub|spyOn|useFakeTimers)|Object\.assign\(process\.env/;
const alone = tests.filter((file) => file.startsWith("test/wire/") || replaces.test(readFileSync(file, "utf8")));

// Loading modules anew for each file was half of the time, and most of it for the CDK: a file shares a process with
// others, unless it changes what they share. What runs alone is first, since the longest tests are there.
export default defineConfig({
  // Examples import the package by its name, as a reader's copy of them does.
  resolve: { tsconfigPaths: true },
  test: {
    reporters: ["default", "./test/support/closing-line-reporter.ts"],
    globalSetup: "./test/support/bundle-once.ts",
    testTimeout: 30_000,
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: "alone", include: alone } },
      {
        extends: true,
        test: {
          name: "infra",
          include: ["test/infra/**/*.test.ts"],
          exclude: ["test/**/*.long.test.ts", ...alone],
          isolate: false,
          setupFiles: "test/infra/support/set-up.ts",
        },
      },
      {
        extends: true,
        test: {
          name: "together",
          include: ["test/**/*.test.ts"],
          exclude: ["test/**/*.long.test.ts", "test/infra/**", ...alone],
          isolate: false,
        },
      },
    ],
  },
});
