import type { ChatFilter, FilterBlock, FilterMessage } from '#plugin-api'
import { pluginSource } from '../../support/kernel.ts'

/** The functions of the filters of a test; without a function, everything passes. */
export interface FilterActs {
  strict: Pick<ChatFilter, 'request' | 'reply'>
  lenient: Pick<ChatFilter, 'request' | 'reply'>
}

/** The acts of the filters of `FILTERS`, which a test sets. */
export const acts: FilterActs = { strict: {}, lenient: {} }
Object.assign(globalThis, { filterActs: acts })

/** Forgets what the filters of a test do. */
export const resetActs = (): void => void Object.assign(acts, { strict: {}, lenient: {} })

const filter = (name: string, on_failure: string) => `
  host.extend('chat.filters', {
    name: '${name}',
    on_failure: '${on_failure}',
    request: (question) => filterActs.${name}.request?.(question) ?? { messages: question.messages },
    reply: (question) => filterActs.${name}.reply?.(question) ?? { text: question.text },
  })`

/** The source of a plugin with a filter that refuses when it fails, and after it one that passes everything then. */
export const FILTERS = pluginSource('filters', filter('strict', 'refuse') + filter('lenient', 'pass'))

/** Replaces a word in all that a filter sees. */
export const replaceIn = (messages: readonly FilterMessage[], word: string, other: string): FilterMessage[] =>
  messages.map((message) => ({
    ...message,
    content: message.content.map((block) => replaceInBlock(block, (text) => text.replaceAll(word, other))),
  }))

function replaceInBlock(block: FilterBlock, change: (text: string) => string): FilterBlock {
  if (block.type === 'text') return { ...block, text: change(block.text) }
  if (block.type === 'thinking') return { ...block, thinking: change(block.thinking) }
  if (block.type === 'tool_result') return { ...block, output: change(block.output) }
  if (block.type === 'tool_use')
    return { ...block, input: JSON.parse(change(JSON.stringify(block.input))) as unknown }
  return block
}
