import { createIdSet } from "../../ids/id-set.ts";
import type { Io } from "../../io.ts";
import { stretchOf } from "../../moments.ts";
import { showProgress } from "../../progress.ts";
import { eachEmitted, ledgersOf } from "../../target/emitted.ts";
import type { Target } from "../../target/target.ts";
import { count } from "../../words.ts";
import type { VerifyAnswer } from "./answer.ts";
import { createComparison } from "./compare.ts";
import { type ListOptions, readList } from "./read-list.ts";
import { figuresOf, sentenceOf, verdictOf } from "./text.ts";

export interface VerifyOptions extends ListOptions {
  source?: string | undefined;
  survey?: number | undefined;
  from?: string | undefined;
  to?: string | undefined;
  dlq?: string | undefined;
}

/** Compares what a consumer has with the ledger. */
export async function verify(target: Target, io: Io, options: VerifyOptions): Promise<VerifyAnswer> {
  const stretch = stretchOf(options);
  const surveys = await ledgersOf(target, options);
  const progress = showProgress(io);
  const ids = createIdSet();
  const deadLetters = createIdSet();
  const reading = { signal: io.signal, now: io.now, tell: (text: string) => progress.update(text) };
  try {
    const list = await readList(target, options, io, { ...reading, ids });
    const size = ids.size;
    if (options.dlq !== undefined) {
      const { readDeadLetters } = await import("./lists/dead-letters.ts");
      const { isAll, messages } = await readDeadLetters(target, options.dlq, { ...reading, ids: deadLetters });
      if (!isAll) io.say(`Only the first ${count(messages, "message")} of the dead-letter queue were read.`);
    }
    const { take, compared } = createComparison({ ids, deadLetters, asOf: list.asOf, stretch });
    await eachEmitted(target, surveys, io, (survey, entries) => {
      take(survey, entries);
      progress.update(`${count(compared.expected, "emitted response")} compared`);
    });
    const { missing, expected, emittedLater, notBefore } = compared;
    missing.sort((a, b) => a.surveyId - b.surveyId || a.responseId - b.responseId);
    const causes = figuresOf(missing);
    const asOf = Math.floor(list.asOf);
    const figures = { ...causes, expected, emittedLater, ids: size, asOf, notBefore };
    const isPart = options.source !== undefined || options.survey !== undefined;
    return {
      verdict: verdictOf(figures),
      sentence: sentenceOf(figures),
      next: null,
      list: { from: list.from, asOf, notBefore, ids: size, unreadable: list.unreadable },
      scope: {
        source: options.source ?? null,
        surveyId: options.survey ?? null,
        from: options.from === undefined ? null : stretch.from,
        to: options.to === undefined ? null : stretch.to,
      },
      ...causes,
      expected,
      emittedLater,
      missing,
      unknown: isPart ? null : [...ids.ids()].sort(),
      resend: null,
    };
  } finally {
    progress.end();
  }
}
