import { setMaxListeners } from "node:events";
import * as fs from "node:fs";
import { join } from "node:path";
import { isObject } from "../../../json.ts";
import { Listing, type ListPlace, type ReadList, readList } from "../../../operator/against/read-list.ts";
import { OutOfTimeError, readSurveyList } from "../../../polling/index.ts";
import { parseJson } from "../../../secrets/secret-values.ts";
import { toSurveyService } from "../../../service/survey-service.ts";
import { createSurveyApi } from "../../../survey-api/index.ts";
import { UsageError } from "../../errors.ts";
import { type Io, showProgress } from "../../io.ts";
import { count, figure } from "../../words.ts";
import { credentialsFor } from "../doctor.ts";

/** Nobody else comes later for it, as the next tick does. */
const LONGEST_PAUSE = 600_000;
/** Milliseconds after which the place is kept: what a crash costs is read again. */
const KEPT_EVERY = 30_000;

/** All that the service lists, and when the oldest part of it was read (epoch milliseconds). */
export async function readService(
  baseUrl: string,
  { survey, data }: { survey?: number | undefined; data?: string | undefined },
  io: Io,
) {
  const proxy = io.environment.SURVEY_PROXY;
  const api = createSurveyApi({
    baseUrl,
    credentials: await credentialsFor(baseUrl, io),
    retry: { longestPause: LONGEST_PAUSE },
    ...(proxy === undefined ? {} : { proxy }),
  });
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  // A page that is not read for this reason has not failed.
  const interrupt = (): void => stop.abort(new OutOfTimeError());
  io.signal.addEventListener("abort", interrupt);
  const progress = showProgress(io);
  const places = data === undefined ? undefined : placesIn(join(data, "against"), baseUrl);
  try {
    const service = toSurveyService(api, undefined, stop.signal);
    const { surveys: listed, unreadable } = readSurveyList(await service.surveys());
    const chosen = listed.filter(({ surveyId }) => survey === undefined || surveyId === survey);
    if (survey !== undefined && chosen.length === 0) {
      const hint = "Perhaps the credentials belong to another account.";
      throw new UsageError(`the service lists no survey ${survey}`, { hint });
    }
    const surveys: (ReadList & { surveyId: number; name: string | null })[] = [];
    let startedAt = io.now();
    for (const { surveyId, facts, counts } of chosen) {
      const { place, since } = places?.kept(surveyId) ?? { since: io.now() };
      startedAt = Math.min(startedAt, since);
      const list = new Listing(place);
      const done = chosen.length > 1 ? `, ${surveys.length} of ${count(chosen.length, "survey")} done` : "";
      const counted = Math.max(0, ...counts.map((one) => one ?? 0));
      let keptAt = io.now();
      const onPage = (page: number, pages: number): void => {
        progress.update(`survey ${surveyId}: page ${figure(page)} of ${figure(pages)}${done}`, page / pages);
        if (io.now() < keptAt + KEPT_EVERY) return;
        places?.keep(surveyId, { since, place: list.toPlace() });
        keptAt = io.now();
      };
      try {
        const read = await readList(list, { service, surveyId, counted, onPage });
        surveys.push({ surveyId, name: facts?.name ?? null, ...read });
      } finally {
        places?.keep(surveyId, { since, place: list.toPlace() });
      }
    }
    // Another reading goes on where pages failed on to the end, and reads all other lists anew.
    for (const { surveyId, isOver } of surveys) if (isOver) places?.drop(surveyId);
    // Nameless: rows of the survey list without an id, whose lists nobody can read.
    return { startedAt, surveys, nameless: survey === undefined ? unreadable : 0 };
  } finally {
    io.signal.removeEventListener("abort", interrupt);
    progress.end();
    await api.close();
  }
}

/** The version of a kept place: one of another version is read anew. */
const PLACE_VERSION = 2;

/** A place, and when its reading began (epoch milliseconds). */
type KeptPlace = { since: number; place: ListPlace };

/** Keeps the places of surveys in a folder: response ids, dates and page numbers. */
function placesIn(folder: string, baseUrl: string) {
  const fileOf = (surveyId: number): string => join(folder, `${surveyId}.json`);
  return {
    kept(surveyId: number): KeptPlace | undefined {
      let text: string;
      try {
        text = fs.readFileSync(fileOf(surveyId), "utf8");
      } catch {
        return undefined;
      }
      const kept = parseJson(text);
      const isOurs = isObject(kept) && kept.version === PLACE_VERSION && kept.baseUrl === baseUrl;
      return isOurs ? (kept as unknown as KeptPlace) : undefined;
    },
    keep(surveyId: number, kept: KeptPlace): void {
      fs.mkdirSync(folder, { recursive: true });
      fs.writeFileSync(`${fileOf(surveyId)}.new`, JSON.stringify({ version: PLACE_VERSION, baseUrl, ...kept }));
      fs.renameSync(`${fileOf(surveyId)}.new`, fileOf(surveyId));
    },
    /** The last one takes the folder with it. */
    drop(surveyId: number): void {
      fs.rmSync(fileOf(surveyId), { force: true });
      if (fs.existsSync(folder) && fs.readdirSync(folder).length === 0) fs.rmdirSync(folder);
    },
  };
}
