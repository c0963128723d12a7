import type { LanguageModelV3CallOptions } from '@ai-sdk/provider'
import type { Adaptation } from '#plugin-api'
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

/** The limits of OpenAI, which its refusals state. */
const MAX_TOOLS = 128
const MAX_DESCRIPTION_CHARS = 1024

type Tool = NonNullable<LanguageModelV3CallOptions['tools']>[number]

/** The adaptations of a kind whose models may refuse the number of tools or the length of their descriptions. */
export const toolAdaptations = {
  fewer_tools: {
    label: { en: 'At most 128 tools', zh: '最多发送 128 个工具' },
    isNeeded: ({ message }) =>
      (/\btools\b(?![[.])/.test(message) &&
        /array too long|too many tools|maximum (?:length|number)/i.test(message)) ||
      // The words of older versions at Azure.
      /is too long - '(?:tools|functions)'/.test(message),
  },
  short_descriptions: {
    label: { en: 'Tool descriptions limited to 1,024 characters', zh: '工具描述最多 1,024 个字符' },
    isNeeded: ({ message }) =>
      /\btools\[\d+\]\S*description\b.*too long|too long - '\S*description'/i.test(message),
  },
} satisfies Record<string, Adaptation>

/** Shortens the tools of a call as adaptations demand. */
export function shortenTools(tools: readonly Tool[], adaptations: readonly string[] = []): Tool[] {
  const allowedTools = adaptations.includes('fewer_tools') ? tools.slice(0, MAX_TOOLS) : [...tools]
  if (!adaptations.includes('short_descriptions')) return allowedTools
  return allowedTools.map((tool) =>
    tool.type === 'function'
      ? { ...tool, description: tool.description?.slice(0, MAX_DESCRIPTION_CHARS).toWellFormed() }
      : tool,
  )
}
