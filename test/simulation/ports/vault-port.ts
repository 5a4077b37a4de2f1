import type { Vault } from "../../../lib/polling/index.ts";
import { copyOf } from "../../support/copy.ts";
import type { WorkerProcess } from "../engine/worker-process.ts";
import type { Weather } from "./weather.ts";

/** The bucket as one process of the poller meets it. */
export function vaultPort(objects: Map<string, unknown>, process: WorkerProcess, weather: Weather): Vault {
  return {
    put(key, value) {
      const kept = copyOf(value);
      return process.call("vault", () => void objects.set(key, kept));
    },
    get: (key) =>
      process.call("vault", () => {
        // The bucket has its own time after which things go.
        if (objects.has(key) && weather.happens("vault:loses")) objects.delete(key);
        return copyOf(objects.get(key));
      }),
    delete: (key) => process.call("vault", () => void objects.delete(key)),
  };
}
