import type { LanguageModelV3FinishReason } from '@ai-sdk/provider'

/** The words of vendors for the end of an answer, in small letters without others between them. */
const FINISH_REASONS = new Map<string, LanguageModelV3FinishReason['unified']>(
  Object.entries({
    stop: 'stop',
    length: 'length',
    maxlength: 'length',
    lengthlimit: 'length',
    tokenlimit: 'length',
    maxtokens: 'length',
    maxnewtokens: 'length',
    maxoutputtokens: 'length',
    modellength: 'length',
    modelcontextwindowexceeded: 'length',
    contentfilter: 'content-filter',
    contentfiltered: 'content-filter',
    filtered: 'content-filter',
    blocked: 'content-filter',
    blocklist: 'content-filter',
    moderation: 'content-filter',
    guardrailintervened: 'content-filter',
    riskcontrol: 'content-filter',
    spii: 'content-filter',
    imagesafety: 'content-filter',
    sensitive: 'content-filter',
    safety: 'content-filter',
    prohibitedcontent: 'content-filter',
    recitation: 'content-filter',
    refusal: 'content-filter',
    toolcalls: 'tool-calls',
    functioncall: 'tool-calls',
    tooluse: 'tool-calls',
    error: 'error',
    networkerror: 'error',
    servererror: 'error',
    internalerror: 'error',
    engineerror: 'error',
    insufficientsystemresource: 'error',
    malformedfunctioncall: 'error',
    overloaded: 'error',
    failed: 'error',
    timeout: 'error',
    cancelled: 'error',
    abort: 'error',
    aborted: 'error',
  }),
)

/** Converts the end of an answer; without a word of its vendor, the answer tells how it ended. */
export function toFinishReason(raw: string | undefined, hasCalls: boolean): LanguageModelV3FinishReason {
  if (raw === undefined) return { unified: hasCalls ? 'tool-calls' : 'stop', raw }
  const word = raw
    .replace(/^FINISH_REASON_/, '')
    .replace(/[^a-z]/gi, '')
    .toLowerCase()
  // The core tells a refusal from a filter by this word.
  if (word === 'refused') return { unified: 'content-filter', raw: 'refusal' }
  return { unified: FINISH_REASONS.get(word) ?? 'other', raw }
}
