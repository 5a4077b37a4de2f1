import { hash32, hashFraction } from "./hashing.ts";
import { countryOf } from "./record-contents.ts";
import type { SimulatedResponse } from "./responses.ts";
import type { Settings } from "./settings.ts";
import type { Survey } from "./survey.ts";

/** Section 2.5: the metadata of one response. */
export function metadataBody(survey: Survey, response: SimulatedResponse, settings: Settings): unknown {
  const draw = hash32(survey.seed, response.responseId, 84);
  const mobile = draw % 2 === 0;
  const language = hashFraction(draw, 1) < 0.8;
  const metadata = {
    // A block reserved for documentation: no address of anyone.
    ip: `203.0.113.${1 + (draw % 254)}`,
    referrer: draw % 3 === 0 ? "https://shop.example/thanks" : null,
    iso3166: countryOf(survey.seed, response),
    languageId: language ? 23 : null,
    languageName: language ? "Polish" : null,
    languageSymbol: language ? "pl" : null,
    deviceType: mobile ? "mobile" : "desktop",
    deviceTypeName: mobile ? "Mobile" : "Desktop",
    os: mobile ? "Android 16" : "Windows 11",
    browser: mobile ? "Chrome 142.0" : "Firefox 145.0",
  };
  return [settings.metadataList === "anonymous" ? metadata : { responseId: response.responseId, ...metadata }];
}
