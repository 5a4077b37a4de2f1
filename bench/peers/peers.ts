import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { linesOf, type Output } from "./output.ts";

// The frameworks a team would take instead of a poller of its own: see README.md.

/** What a peer is told to do. */
export interface Order {
  url: string;
  surveyId: number;
  concurrency: number;
  /** For what it writes; its standard output goes to `out.jsonl` in it. */
  directory: string;
}

export interface Peer {
  name: string;
  version: string;
  /** Responses of the drain that is measured: fewer where its speed does not depend on them and more would take minutes. */
  responses: number;
  /** To try, the most first. */
  concurrencies: readonly number[];
  /** What `install.sh` made last. */
  installed: string;
  command(order: Order): string[];
  output(directory: string): Iterable<Output>;
}

const CONCURRENCIES = [64, 32, 16];

const at = (...path: string[]): string => join(import.meta.dirname, ...path);

function inPython({ url, surveyId, concurrency, directory }: Order, name: string): string[] {
  const script = at(name, "drain.py");
  return [at(name, ".venv", "bin", "python"), script, url, String(surveyId), String(concurrency), directory];
}

const dlt: Peer = {
  name: "dlt",
  version: "1.31.0",
  responses: 10_000,
  concurrencies: CONCURRENCIES,
  installed: at("dlt", ".venv", "installed"),
  command: (order) => inPython(order, "dlt"),
  *output(directory) {
    for (const line of linesOf(join(directory, "loaded", "survey"))) {
      yield { responseId: line._responses_response_id, record: line };
    }
  },
};

/** Without its messages about streams and state. */
const records = (directory: string) => linesOf(directory, "out.jsonl").filter(({ type }) => type === "RECORD");

const airbyte: Peer = {
  name: "airbyte",
  version: "7.39.1",
  responses: 10_000,
  concurrencies: CONCURRENCIES,
  installed: at("airbyte", ".venv", "installed"),
  command: (order) => inPython(order, "airbyte"),
  *output(directory) {
    for (const { record: message } of records(directory)) {
      const { data } = message as { data: Record<string, unknown> };
      yield { responseId: data.responseId, record: data };
    }
  },
};

const singer: Peer = {
  name: "singer",
  version: "0.54.9",
  responses: 400,
  // A tap reads one child after the other, and the SDK has no setting for it.
  concurrencies: [1],
  installed: at("singer", ".venv", "installed"),
  command: (order) => inPython(order, "singer"),
  *output(directory) {
    for (const { record: message } of records(directory)) {
      const record = message as Record<string, unknown>;
      yield { responseId: record.responseId, record };
    }
  },
};

/** Lines of one response each, with both of its parts. */
function* wholeResponses(directory: string): Iterable<Output> {
  for (const { responseId, metrics, metadata } of linesOf(directory, "responses.jsonl")) {
    for (const record of [metrics, metadata].flat()) {
      yield { responseId, record: record as Record<string, unknown> };
    }
  }
}

const camel: Peer = {
  name: "camel",
  version: "4.14.0",
  responses: 20_000,
  concurrencies: CONCURRENCIES,
  installed: at("camel", "target", "installed"),
  command({ url, surveyId, concurrency, directory }) {
    const classPath = [at("camel", "target", "classes"), at("camel", "target", "lib", "*")].join(delimiter);
    return ["java", "-cp", classPath, "bench.Drain", url, String(surveyId), String(concurrency), directory];
  },
  output: wholeResponses,
};

const benthos: Peer = {
  name: "benthos",
  version: "4.60.0",
  responses: 20_000,
  concurrencies: CONCURRENCIES,
  installed: at("benthos", "target", "installed"),
  command({ url, surveyId, concurrency, directory }) {
    return [at("benthos", "target", "drain"), url, String(surveyId), String(concurrency), directory];
  },
  output: wholeResponses,
};

/** Those that drain the same stand together: the poller beside one is then the poller beside the next. */
export const PEERS: readonly Peer[] = [dlt, airbyte, camel, benthos, singer];

export const isInstalled = ({ installed }: Peer): boolean => existsSync(installed);
