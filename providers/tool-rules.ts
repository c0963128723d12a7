import type { PlainSchema } from './plain-schema.ts'

/** The form of tools that a vendor accepts. */
export interface ToolRules {
  /** The names of tools. */
  name: RegExp
  /** The names of properties; any name if it is missing. */
  property?: RegExp
  /** The ids of calls; any id if it is missing. */
  call_id?: RegExp
  /** Converts a plain schema to the vendor's subset. */
  convert?(schema: PlainSchema): PlainSchema
}

const name = /^[a-zA-Z0-9_-]{1,64}$/

/** The rules of OpenAI, which other vendors of its API share: the input of a tool is an object, and arrays have items. */
export const openAIRules: ToolRules = { name, call_id: /^.{1,64}$/s }

/** The rules of Claude, at Anthropic and on Bedrock. */
export const claudeRules: ToolRules = {
  name,
  property: /^[a-zA-Z0-9_.-]{1,64}$/,
  call_id: /^[a-zA-Z0-9_-]{1,64}$/,
}
