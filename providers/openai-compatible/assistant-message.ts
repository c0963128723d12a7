import { createHash } from 'node:crypto'
import type { JSONObject, LanguageModelV3Message } from '@ai-sdk/provider'
import { isObject } from '#plugin-api'
import { METADATA_KEY, type ThoughtData } from './thoughts.ts'

/** The form in which an upstream wants earlier answers. */
export interface History {
  /** False if the upstream refuses thoughts. */
  hasThoughts: boolean
  /** True if the upstream refuses a tool call without a thought. */
  needsThoughts: boolean
  /** Longer ids of tool calls are replaced; 9 is for servers that take 9 letters or digits only. */
  maxIdChars: number
  /** True if the upstream refuses the message of a user that follows results of tools. */
  needsAnswers: boolean
}

type AssistantPart = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'][number]
type ThoughtPart = Extract<AssistantPart, { type: 'reasoning' }>

/** Converts an answer of a model. */
export function convertAssistant(content: AssistantPart[], history: History): object {
  const toolCalls = content
    .filter((part) => part.type === 'tool-call')
    .map(({ toolCallId, toolName, input, providerOptions }) => ({
      id: toWireId(toolCallId, history.maxIdChars),
      type: 'function',
      function: { name: toolName, arguments: JSON.stringify(wrapInput(input)) },
      ...providerOptions?.[METADATA_KEY],
    }))
  const text = content.reduce((joined, part) => (part.type === 'text' ? joined + part.text : joined), '')
  // Thinking upstreams expect the thoughts of their tool calls back, and no others.
  if (toolCalls.length === 0) return { role: 'assistant', content: text }
  const thoughts = content.filter((part) => part.type === 'reasoning')
  const { content: words, ...fields } = convertThoughts(history.hasThoughts ? thoughts : [], text)
  if (history.needsThoughts && !('reasoning_content' in fields))
    Object.assign(fields, { reasoning_content: '' })
  return { role: 'assistant', content: words, ...fields, tool_calls: toolCalls }
}

interface Thoughts {
  content: string | object[] | null
  reasoning_content?: string
  reasoning?: string
  reasoning_details?: JSONObject[]
  thinking_blocks?: JSONObject[]
}

/** Puts thoughts in the field in which they came, or in the content. */
function convertThoughts(thoughts: ThoughtPart[], text: string): Thoughts {
  const content = text === '' ? null : text
  const data = thoughts.map(readData)
  const lists = joinLists(data)
  const thought = thoughts.map((part) => part.text).join('')
  if (thought === '') return { content, ...lists }
  switch (data.find(({ field }) => field)?.field) {
    case 'reasoning':
      return { content, reasoning: thought, ...lists }
    case 'parts':
      return {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: thought }] },
          ...(text === '' ? [] : [{ type: 'text', text }]),
        ],
      }
    case 'tags':
      return { content: `<think>\n${thought}\n</think>\n\n${text}` }
    default:
      return { content, reasoning_content: thought, ...lists }
  }
}

const readData = ({ providerOptions }: ThoughtPart): ThoughtData => providerOptions?.[METADATA_KEY] ?? {}

function joinLists(data: ThoughtData[]): Omit<ThoughtData, 'field'> {
  const details = data.flatMap(({ reasoning_details = [] }) => reasoning_details)
  const blocks = data.flatMap(({ thinking_blocks = [] }) => thinking_blocks)
  return {
    ...(details.length > 0 && { reasoning_details: details }),
    ...(blocks.length > 0 && { thinking_blocks: blocks }),
  }
}

/** Wraps arguments that are not an object, which several templates refuse. */
const wrapInput = (input: unknown): object => (isObject(input) ? input : input == null ? {} : { input })

/** The length and the characters of an id that every vendor accepts, Mistral's being the strictest. */
const STRICT_ID = /^[a-zA-Z0-9]{9}$/

/** LiteLLM puts the signature of a thought into the id. */
const HOLDS_THOUGHT = /__thought__/

/** Returns the id of a call on the wire: the same for a call and its result. */
export const toWireId = (id: string, maxChars: number): string =>
  STRICT_ID.test(id) || (id.length <= maxChars && maxChars > 9) || HOLDS_THOUGHT.test(id) ? id : shorten(id)

const shorten = (id: string) =>
  createHash('sha256')
    .update(id)
    .digest('base64')
    .replace(/[^a-zA-Z0-9]/g, '')
    .slice(0, 9)
