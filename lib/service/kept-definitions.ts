import { hash } from "node:crypto";
import type { SurveyDefinition } from "../events/build/definition.ts";
import type { SurveyService, Vault } from "../polling/index.ts";

/** Questions that are held in memory, all in all: beyond that it begins anew, and the vault has them still. */
const MOST_HELD = 20_000;

export type KeepDefinitions = ReturnType<typeof keepDefinitions>;

/**
 * Makes services of a source keep the definitions that they read: in memory, and in the vault for other processes. So a survey costs one
 * request for each time that it was edited. What is of another edition than the list shows is not kept: it is read again by the next poll
 * that needs it.
 */
export function keepDefinitions(vault: Pick<Vault, "get" | "put">, source: string) {
  const held = new Map<string, SurveyDefinition>();
  let questions = 0;
  const hold = (key: string, definition: SurveyDefinition): SurveyDefinition => {
    const size = 1 + Object.keys(definition.questions).length;
    if (questions + size > MOST_HELD) {
      held.clear();
      questions = 0;
    }
    held.set(key, definition);
    questions += size;
    return definition;
  };
  const definitionOf = async (service: SurveyService, surveyId: number, modified: string | null) => {
    if (modified === null) return service.definition(surveyId, modified);
    // The number is that of the form in which it is kept.
    const key = `questions/2/${source}/${surveyId}/${hash("sha256", modified, "hex").slice(0, 16)}.json`;
    const known = held.get(key);
    if (known !== undefined) return known;
    const kept = await vault.get(key).catch(() => undefined);
    if (isDefinition(kept)) return hold(key, kept);
    const definition = await service.definition(surveyId, modified);
    if (definition.modified !== modified) return definition;
    // Where it cannot be kept it is read again.
    await vault.put(key, definition).catch(() => undefined);
    return hold(key, definition);
  };
  return (service: SurveyService): SurveyService => ({
    ...service,
    definition: (surveyId, modified) => definitionOf(service, surveyId, modified),
  });
}

/** Something else may have come to lie there. */
function isDefinition(kept: unknown): kept is SurveyDefinition {
  const { questions } = (kept ?? {}) as Partial<SurveyDefinition>;
  return typeof questions === "object" && questions !== null;
}
