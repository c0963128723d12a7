import type { ChatFilter, FilterBlock, FilterMessage, FilterNotice, Locale, LocalizedText } from '#plugin-api'
import type { HitCounts } from './hit-counts.ts'
import { type Hit, type Rule, redactionOf } from './rules.ts'
import type { Scanner } from './scanner.ts'

type RequestQuestion = Parameters<NonNullable<ChatFilter['request']>>[0]
type ReplyQuestion = Parameters<NonNullable<ChatFilter['reply']>>[0]

/** Looks for the hits of rules in requests and replies. */
export type Guard = ReturnType<typeof createGuard>

/** Creates the guard. */
export function createGuard({ scanner, hitCounts }: { scanner: Scanner; hitCounts: HitCounts }) {
  /** Returns the hits in a text; a text counts once, however often models receive it. */
  const look = (text: string, owner: string, direction: 'request' | 'reply' | undefined): readonly Hit[] => {
    const { hits, isNew } = scanner.scan(text, owner)
    if (isNew && direction) for (const { rule } of hits) hitCounts.add(rule, direction)
    return hits
  }

  return {
    /**
     * Passes the messages with hits redacted. What is not new in a turn is redacted at most, as a conversation would
     * otherwise never go on after a blocked message.
     */
    request({ messages, agent, caller, purpose, locale }: RequestQuestion) {
      const owner = `${caller.id} ${agent.id}`
      const isOfTurn = purpose !== 'summary' && purpose !== 'title'
      const newest = isOfTurn ? messages.findLastIndex(({ role }) => role === 'user') : messages.length
      const newHits: Hit[] = []
      const passed = messages.map((message, index): FilterMessage => {
        const isNew = index >= newest && message.role !== 'assistant'
        return mapTexts(message, (text) => {
          const hits = look(text, owner, isNew ? 'request' : undefined)
          if (hits.length === 0) return text
          if (isNew) newHits.push(...hits)
          return redact(text, hits, locale)
        })
      })
      const blocked = newHits.find(({ rule }) => rule.action === 'block')
      if (blocked) return { refuse: toBlocked(blocked.rule) }
      return { messages: passed, notices: toNotices(newHits, 'request') }
    },
    /** Passes a paragraph with hits redacted. */
    reply({ text, agent, caller, locale }: ReplyQuestion) {
      const hits = look(text, `${caller.id} ${agent.id} reply`, 'reply')
      const blocked = hits.find(({ rule }) => rule.action === 'block')
      if (blocked) return { refuse: toBlocked(blocked.rule) }
      return { text: redact(text, hits, locale), notices: toNotices(hits, 'reply') }
    },
  }
}

/** Returns a text without its hits; the hits of rules that only warn remain. */
function redact(text: string, hits: readonly Hit[], locale: Locale): string {
  let redacted = ''
  let end = 0
  for (const hit of hits) {
    if (hit.rule.action === 'warn') continue
    redacted += text.slice(end, hit.start) + redactionOf(hit.rule)[locale]
    end = hit.end
  }
  return redacted + text.slice(end)
}

function mapTexts(message: FilterMessage, change: (text: string) => string): FilterMessage {
  const content = message.content.map((block) => mapBlock(block, change))
  return content.every((block, index) => block === message.content[index]) ? message : { ...message, content }
}

function mapBlock(block: FilterBlock, change: (text: string) => string): FilterBlock {
  switch (block.type) {
    case 'text': {
      const text = change(block.text)
      return text === block.text ? block : { ...block, text }
    }
    case 'thinking': {
      const thinking = change(block.thinking)
      return thinking === block.thinking ? block : { ...block, thinking }
    }
    case 'tool_result': {
      const output = change(block.output)
      return output === block.output ? block : { ...block, output }
    }
    case 'tool_use': {
      const input = mapValue(block.input, change)
      return input === block.input ? block : { ...block, input }
    }
    default:
      return block
  }
}

/** Changes the texts of a JSON value; returns the value itself if none has changed. */
function mapValue(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const changed = entries.map(([name, item]) => [name, mapValue(item, change)] as const)
  if (changed.every(([, item], index) => item === entries[index]![1])) return value
  return Array.isArray(value) ? changed.map(([, item]) => item) : Object.fromEntries(changed)
}

const toBlocked = ({ label }: Rule) => ({
  code: 'GUARD_BLOCKED',
  message: {
    en: `This was blocked because it contains something that must not be sent: ${label.en}.`,
    zh: `已拦截：内容中包含不允许发送的信息（${label.zh}）。`,
  },
})

type Sentence = (label: LocalizedText) => LocalizedText

const WARNED: Sentence = ({ en, zh }) => ({
  en: `This contains something that you may not want to share: ${en}.`,
  zh: `内容中包含您可能不想分享的信息：${zh}。`,
})
const HIDDEN: Sentence = ({ en, zh }) => ({
  en: `This was hidden from the model: ${en}.`,
  zh: `以下内容未发送给模型：${zh}。`,
})

/** Returns a notice for each rule with hits; in replies a redaction shows by itself. */
function toNotices(hits: readonly Hit[], direction: 'request' | 'reply'): FilterNotice[] {
  const rules = new Set(hits.map(({ rule }) => rule))
  return [...rules].slice(0, 16).flatMap(({ action, label }): FilterNotice[] => {
    if (action === 'warn') return [{ code: 'GUARD_WARNED', message: WARNED(label) }]
    return direction === 'request' ? [{ code: 'GUARD_REDACTED', message: HIDDEN(label) }] : []
  })
}
