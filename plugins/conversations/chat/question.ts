import type { Block, TurnSettings } from './documents.ts'
import type { VersionRequest } from './threads/versions.ts'

/** A request for a turn: `text` or `content`, or an answer to be written anew, true for the last one. */
export interface QuestionFields extends Pick<TurnSettings, 'reasoning'> {
  text?: string
  content?: readonly object[]
  replaces?: string
  regenerate?: true | string
  model?: string
  connector_ids?: readonly string[]
  knowledge_base_ids?: readonly string[]
}

/** The part of a turn's order that a request contains. */
interface Question {
  content: Block[]
  model?: string
  settings?: TurnSettings
  version?: VersionRequest
}

/** Converts the request for a turn. */
export function toQuestion({
  text,
  content = [],
  replaces,
  regenerate,
  model,
  reasoning,
  connector_ids,
  knowledge_base_ids,
}: QuestionFields): Question {
  const settings = {
    ...(reasoning && { reasoning }),
    ...(connector_ids && { connector_ids }),
    ...(knowledge_base_ids && { knowledge_base_ids }),
  }
  return {
    content: (text === undefined ? content : [{ type: 'text', text }]) as Block[],
    ...(model !== undefined && { model }),
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(replaces !== undefined && { version: { replaces } }),
    ...(regenerate !== undefined && {
      version: { regenerates: regenerate === true ? undefined : regenerate },
    }),
  }
}
